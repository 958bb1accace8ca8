import { writeFile } from "node:fs/promises";
import { type ActorInfo, type Cluster, PalimpsestError, type ProcessProfile } from "@palimpsest/client";
import type { Profile } from "@palimpsest/dashboard";
import { loadTls } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { z } from "zod";
import {
  type ConnectionOptions,
  resolveConnection,
  withCluster,
  withConnection,
} from "../../cluster/connection.js";
import { namingNear } from "../../cluster/near-name.js";
import { signInLink } from "../../cluster/sign-in-link.js";
import { formatBytes } from "../../display/bytes.js";
import { JsonOutput } from "../../display/json-output.js";
import { printable } from "../../display/printable.js";
import { formatTable } from "../../display/table.js";
import { parseCount } from "../../input/key-values.js";
import { stopSignal } from "../../input/signals.js";
import { profileSchema } from "../../state/row-schemas.js";

interface ProfileOptions extends ConnectionOptions {
  readonly seconds: number;
  readonly heap?: boolean;
  readonly job?: string;
  readonly output?: string;
  readonly open?: boolean;
  readonly json?: boolean;
}

/** The processes that are profiled, and the actors whose phases are measured beside them. */
interface Targets {
  readonly ids: readonly string[];
  readonly actors: readonly ActorInfo[];
}

const defaultSeconds = 5;
const shownFunctions = 25;
const pageHost = "127.0.0.1";

/** Returns the processes that are named, of a job with its driver, or of all actors and nodes. */
async function targetsOf(cluster: Cluster, named: readonly string[], jobId?: string): Promise<Targets> {
  const filter = { states: ["alive"], ...(jobId === undefined ? {} : { jobId }) } as const;
  const actors = await cluster.actors(filter);
  if (named.length > 0) {
    const isNamed = ({ actorId, name, pid }: ActorInfo) =>
      [actorId, name, String(pid)].some((one) => named.includes(one));
    return { ids: named, actors: actors.filter(isNamed) };
  }
  const { processesOf } = await import("@palimpsest/dashboard");
  const nodes = jobId === undefined ? await cluster.nodes({ states: ["alive"] }) : [];
  return {
    ids: processesOf(
      actors,
      nodes.map(({ nodeId }) => nodeId),
      jobId,
    ),
    actors,
  };
}

const processesOutput = new JsonOutput(() => z.array(profileSchema));

export function addProfile(program: Command): void {
  withConnection(program.command("profile"))
    .description("shows which JavaScript functions take the time, or the memory, of one process or of all")
    .argument("[target...]", "as of `stack`; none: all actors and nodes")
    .option("--job <id>", "the actors and the driver of a job")
    .addOption(
      new Option("--seconds <n>", "how long, at most 20").argParser(parseCount).default(defaultSeconds),
    )
    .option("--heap", "what is allocated meanwhile and still in use, instead of time")
    .option(
      "--output <file>",
      "writes a .cpuprofile (with --heap a .heapprofile), which Chrome's DevTools and speedscope open",
    )
    .option("--open", "serves the page of profiles with the result on loopback, until it is stopped")
    .addOption(processesOutput.option("as JSON: each process's tree of calls"))
    .action(async (named: readonly string[], options: ProfileOptions) => {
      if (named.length > 0 && options.job !== undefined)
        throw new PalimpsestError("INVALID_ARGUMENT", "--job: targets are named, too; give targets or --job");
      const profile = await withCluster(options, "profile", async (cluster) => {
        const { mostProcesses } = await import("@palimpsest/dashboard");
        const targets = await targetsOf(cluster, named, options.job);
        const { length } = targets.ids;
        if (length === 0 || length > mostProcesses)
          throw new PalimpsestError(
            "INVALID_ARGUMENT",
            `${length} processes run there; name between 1 and ${mostProcesses}, or give --job`,
          );
        return await profileAll(cluster, targets, options);
      });
      if (options.open && profile.processes.length > 0) await showPage(profile);
    });
}

async function profileAll(
  cluster: Cluster,
  { ids, actors }: Targets,
  options: ProfileOptions,
): Promise<Profile> {
  const { seconds, heap = false, output, json, open } = options;
  const { profileFile, withPhases } = await import("@palimpsest/dashboard");
  const { token, tls } = resolveConnection(options);
  // Nobody sees the phases who gets the table alone.
  const pages = output === undefined && !open ? [] : actors;
  process.stderr.write(`profiling ${counted(ids.length)} for ${seconds} s\n`);
  const startedAtMs = Date.now();
  const { result: answers, phases } = await withPhases(
    pages.map(({ actorId, role, metricsAddress: address }) => ({ actorId, role: role || "actor", address })),
    { authorization: `Bearer ${token}`, tls: tls === "" ? undefined : loadTls(tls) },
    () => Promise.allSettled(ids.map((id) => cluster.profile(id, { durationMs: seconds * 1000, heap }))),
  );
  const processes: ProcessProfile[] = [];
  const problems: string[] = [];
  for (const [at, answer] of answers.entries()) {
    // One target that is not there is the user's mistake; of many, some may have ended meanwhile.
    if (answer.status === "rejected" && ids.length === 1)
      await namingNear(cluster, ids[at] ?? "", () => Promise.reject(answer.reason));
    if (answer.status === "fulfilled" && answer.value.problem === "") processes.push(answer.value);
    else {
      const { title, reason } =
        answer.status === "rejected"
          ? { title: ids[at] ?? "", reason: PalimpsestError.from(answer.reason).rawMessage }
          : { title: answer.value.title, reason: answer.value.problem };
      problems.push(`${title}: ${reason}`);
      process.stderr.write(printable(`${title}: no profile: ${reason}\n`));
    }
  }
  if (processes.length === 0) process.exitCode = 1;
  const kind = heap ? "heap" : "cpu";
  const profile: Profile = { kind, processes, startedAtMs, seconds, problems, phases };
  if (output !== undefined) {
    await writeFile(output, profileFile(profile));
    process.stderr.write(`wrote ${output}\n`);
  }
  if (json) processesOutput.print(processes);
  else process.stdout.write(`${printable(await tableOf(processes, heap))}\n`);
  return profile;
}

/** Serves the pages on loopback, for whoever has the link that it prints. */
async function showPage(profile: Profile): Promise<void> {
  const { givenProfileId, profileFile, startFolderDashboard } = await import("@palimpsest/dashboard");
  const { createLogger } = await import("@palimpsest/telemetry");
  const logger = createLogger({ component: "dashboard", level: "warn" });
  const text = profileFile(profile);
  const server = await startFolderDashboard({ host: pageHost, port: 0, runs: [], profile: text, logger });
  const link = signInLink(server.address, server.token, `profile/${givenProfileId}`);
  process.stderr.write(`profile  ${link}\n`);
  const stop = stopSignal();
  if (!stop.aborted) await new Promise((end) => stop.addEventListener("abort", end, { once: true }));
  await server.close();
}

const counted = (processes: number) => (processes === 1 ? "1 process" : `${processes} processes`);

async function tableOf(profiles: readonly ProcessProfile[], heap: boolean): Promise<string> {
  const { functionCosts } = await import("@palimpsest/dashboard");
  const costs = functionCosts(profiles);
  const all = costs.reduce((sum, { self }) => sum + self, 0);
  const amount = (value: number) => (heap ? formatBytes(value) : `${Math.round(value)} ms`);
  const share = (value: number) => (all === 0 ? "" : `${((100 * value) / all).toFixed(1)} %`);
  const rows = costs
    .slice(0, shownFunctions)
    .map(({ name, self, total }) => [amount(self), share(self), amount(total), name]);
  const what = heap ? "allocated and in use" : "computed";
  const title = `${counted(profiles.length)}, ${amount(all)} ${what}`;
  return [title, formatTable(["self", "", "with calls", "function"], rows)].join("\n");
}
