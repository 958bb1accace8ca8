import type { Cluster } from "@palimpsest/client";
import { ownProtocols, PalimpsestError, protocolsText } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import {
  type ClusterMembers,
  type Target,
  type UpgradePlan,
  upgradePlan,
} from "../../cluster/upgrade-plan.js";
import { counted } from "../../display/count.js";
import { JsonOutput } from "../../display/json-output.js";
import { printableLine } from "../../display/printable.js";
import { formatTable } from "../../display/table.js";
import { parseCount } from "../../input/key-values.js";
import { untilStopped } from "../../input/signals.js";
import { version } from "../../installation/version.js";
import { protocolsSchema } from "../../state/row-schemas.js";

const defaults = { deadlineSeconds: 86_400, waitSeconds: 300 } as const;

interface PlanOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly restartCommand?: string;
}

interface RunOptions extends PlanOptions {
  readonly newHosts?: boolean;
  readonly deadline: number;
  readonly wait: number;
}

const memberKinds = z.enum(["standby", "head", "node", "driver"]);
const targetSchema = z
  .strictObject({ version: z.string(), protocols: protocolsSchema, rowVersion: z.int() })
  .describe("this installation");
const planOutput = new JsonOutput(() =>
  z.strictObject({
    target: targetSchema,
    members: z.array(
      z.strictObject({
        kind: memberKinds,
        id: z.string(),
        host: z.string(),
        version: z.string(),
        protocols: protocolsSchema,
        step: z.int().optional().describe("its place in the order; absent: it is left alone"),
        note: z.string(),
      }),
    ),
    problems: z.array(z.string()).describe("why the upgrade is refused"),
  }),
);
const runOutput = new JsonOutput(() =>
  z.strictObject({
    target: targetSchema,
    replaced: z.array(z.strictObject({ kind: memberKinds, id: z.string(), host: z.string() })),
  }),
);

export function addUpgrade(program: Command): void {
  const upgrade = program
    .command("upgrade")
    .description("replaces the processes of a cluster by this installation's version, one after the other");
  withRestart(withConnection(upgrade.command("plan")), planOutput)
    .description("shows every process with its version, what is replaced in which order, and what forbids it")
    .action(async (options: PlanOptions) => {
      await withCluster(
        options,
        "upgrade",
        async (cluster) => {
          const target = await thisInstallation();
          const plan = await planOf(cluster, target, options);
          if (options.json) planOutput.print({ target, ...plan });
          else process.stdout.write(`${planText(plan, target)}\n`);
          if (plan.problems.length > 0) process.exitCode = 1;
        },
        { anyProtocol: true },
      );
    });
  withRestart(withConnection(upgrade.command("run")), runOutput)
    .description(
      "drains and restarts nodes one at a time, after a standby has taken over from the head; run again, it goes on where it was",
    )
    .option(
      "--new-hosts",
      "workers come back under other host names, as Pods of a Deployment do: a new node with the same labels, except one that is the host's name, and at least the same resources then follows",
    )
    .addOption(
      new Option(
        "--deadline <seconds>",
        "time after which what still runs on a node that is drained is ended",
      )
        .argParser(parseCount)
        .default(defaults.deadlineSeconds),
    )
    .addOption(
      new Option("--wait <seconds>", "time that a process has to come back")
        .argParser(parseCount)
        .default(defaults.waitSeconds),
    )
    .action(async (options: RunOptions) => {
      await withCluster(options, "upgrade", (cluster) => run(cluster, options), { anyProtocol: true });
    });
}

function withRestart(command: Command, output: JsonOutput): Command {
  return command
    .option(
      "--restart-command <command>",
      "run by the shell to restart each process, such as 'ssh {host} systemctl restart palimpsest-{kind}', where {kind} is head or worker; {id} is the node's id or the head's address (default: a supervisor restarts what ends)",
    )
    .addOption(output.option());
}

async function run(cluster: Cluster, options: RunOptions): Promise<void> {
  const target = await thisInstallation();
  const newHosts = options.newHosts === true;
  const { members, problems } = await planOf(cluster, target, { ...options, newHosts });
  // UPGRADE-1
  if (problems.length > 0)
    throw new PalimpsestError("PROTOCOL_MISMATCH", `nothing was touched: ${problems.join("; ")}`);
  const steps = members.filter(({ step }) => step !== undefined);
  const { UpgradeRun } = await import("../../cluster/upgrade-run.js");
  let done = 0;
  let shown = "";
  const show = (note: string) => {
    // Only the seconds that are left differ behind it.
    const [what = ""] = note.split(";");
    if (what !== shown) process.stderr.write(`${done} of ${steps.length}  ${printableLine(note)}\n`);
    shown = what;
  };
  await untilStopped(async (signal) => {
    const upgrade = new UpgradeRun(cluster, target, {
      restartCommand: options.restartCommand,
      newHosts,
      deadlineMs: options.deadline * 1_000,
      waitMs: options.wait * 1_000,
      signal,
      onNote: show,
    });
    for (const member of steps) {
      show(`${member.kind} ${member.id}`);
      await upgrade.replace(member);
      done++;
      show(`${member.kind} ${member.id} is replaced`);
    }
  });
  // A supervisor or autoscaler that still has the version before may have started these meanwhile.
  const late = (await planOf(cluster, target, { ...options, newHosts })).members.filter(
    ({ kind, id, step }) => kind === "node" && step !== undefined && !steps.some((one) => one.id === id),
  );
  if (late.length > 0)
    throw new PalimpsestError(
      "UNAVAILABLE",
      `${counted(late.length, "node")} of another version joined meanwhile (${late.map(({ id }) => id).join(", ")}): install version ${version} where they are started from, and run this again`,
    );
  const replaced = steps.map(({ kind, id, host }) => ({ kind, id, host }));
  if (options.json) runOutput.print({ target, replaced });
  else
    process.stdout.write(
      replaced.length === 0
        ? `nothing was replaced: the cluster has version ${version}\n`
        : `${replaced.length} of ${members.length} processes were replaced; the cluster has version ${version}\n`,
    );
}

async function thisInstallation(): Promise<Target> {
  const { rowVersion } = await import("@palimpsest/head");
  return { version, protocols: ownProtocols(), rowVersion };
}

/** @param options of these, newHosts is absent in a plan, which then counts each node that may be a successor */
async function planOf(
  cluster: Cluster,
  target: Target,
  options: PlanOptions & { readonly newHosts?: boolean },
): Promise<UpgradePlan> {
  const [heads, nodes, drivers] = await Promise.all([
    cluster.heads(),
    cluster.nodes(),
    // A head that speaks protocol 1 alone does not list them.
    cluster.drivers().catch((reason: unknown): ClusterMembers["drivers"] => {
      if (PalimpsestError.from(reason).code === "PROTOCOL_MISMATCH") return undefined;
      throw reason;
    }),
  ]);
  const canRestart = options.restartCommand !== undefined;
  return upgradePlan({ heads, nodes, drivers }, target, canRestart, options.newHosts ?? true);
}

function planText({ members, problems }: UpgradePlan, target: Target): string {
  const rows = members.map(({ step, kind, id, host, version: has, protocols, note }) => [
    step === undefined ? "" : String(step),
    ...[kind, id, host, has || "unknown", protocolsText(protocols), note],
  ]);
  const steps = members.filter(({ step }) => step !== undefined).length;
  const end =
    problems.length > 0
      ? problems.map((problem) => printableLine(`refused: ${problem}`)).join("\n")
      : steps === 0
        ? `nothing to replace: the cluster has version ${target.version}`
        : `${steps} processes to replace: palimpsest upgrade run`;
  return [
    `to version ${target.version}, ${protocolsText(target.protocols)}`,
    formatTable(["step", "process", "id", "host or name", "version", "speaks", ""], rows),
    end,
  ].join("\n");
}
