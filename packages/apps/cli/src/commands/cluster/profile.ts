import { writeFile } from "node:fs/promises";
import { type Cluster, PalimpsestError, type ProcessProfile } from "@palimpsest/client";
import { type Command, Option } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { namingNear } from "../../cluster/near-name.js";
import { formatBytes } from "../../display/bytes.js";
import { JsonOutput } from "../../display/json-output.js";
import { printable } from "../../display/printable.js";
import { formatTable } from "../../display/table.js";
import { parseCount } from "../../input/key-values.js";
import { functionCosts, profileFile } from "../../state/profiles.js";
import { profileSchema } from "../../state/row-schemas.js";

interface ProfileOptions extends ConnectionOptions {
  readonly seconds: number;
  readonly heap?: boolean;
  readonly job?: string;
  readonly output?: string;
  readonly json?: boolean;
}

const defaultSeconds = 5;
/** The answers of so many processes are held at once. */
const mostProcesses = 256;
const shownFunctions = 25;

/** Returns the ids of processes: those named, of a job with its driver, or all actors and nodes. */
async function targetsOf(
  cluster: Cluster,
  named: readonly string[],
  jobId?: string,
): Promise<readonly string[]> {
  if (named.length > 0) return named;
  const actors = await cluster.actors({ states: ["alive"], ...(jobId === undefined ? {} : { jobId }) });
  // Light actors share a process, which one of them stands for.
  const byProcess = new Map(actors.map(({ nodeId, pid, actorId }) => [`${nodeId} ${pid}`, actorId]));
  const others =
    jobId === undefined ? (await cluster.nodes({ states: ["alive"] })).map(({ nodeId }) => nodeId) : [jobId];
  return [...byProcess.values(), ...others];
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
    .addOption(processesOutput.option("as JSON: each process's tree of calls"))
    .action(async (named: readonly string[], options: ProfileOptions) => {
      if (named.length > 0 && options.job !== undefined)
        throw new PalimpsestError("INVALID_ARGUMENT", "--job: targets are named, too; give targets or --job");
      await withCluster(options, "profile", async (cluster) => {
        const targets = await targetsOf(cluster, named, options.job);
        if (targets.length === 0 || targets.length > mostProcesses)
          throw new PalimpsestError(
            "INVALID_ARGUMENT",
            `${targets.length} processes run there; name between 1 and ${mostProcesses}, or give --job`,
          );
        await profileAll(cluster, targets, options);
      });
    });
}

async function profileAll(
  cluster: Cluster,
  targets: readonly string[],
  options: ProfileOptions,
): Promise<void> {
  const { seconds, heap = false, output, json } = options;
  process.stderr.write(`profiling ${counted(targets.length)} for ${seconds} s\n`);
  const asked = targets.map((target) => cluster.profile(target, { durationMs: seconds * 1000, heap }));
  const profiles: ProcessProfile[] = [];
  for (const [at, answer] of (await Promise.allSettled(asked)).entries()) {
    // One target that is not there is the user's mistake; of many, some may have ended meanwhile.
    if (answer.status === "rejected" && targets.length === 1)
      await namingNear(cluster, targets[at] ?? "", () => Promise.reject(answer.reason));
    if (answer.status === "fulfilled" && answer.value.problem === "") profiles.push(answer.value);
    else {
      const { title, reason } =
        answer.status === "rejected"
          ? { title: targets[at] ?? "", reason: PalimpsestError.from(answer.reason).rawMessage }
          : { title: answer.value.title, reason: answer.value.problem };
      process.stderr.write(printable(`${title}: no profile: ${reason}\n`));
    }
  }
  if (profiles.length === 0) process.exitCode = 1;
  if (output !== undefined) {
    await writeFile(output, profileFile(profiles, heap ? "heap" : "cpu"));
    process.stderr.write(`wrote ${output}\n`);
  }
  if (json) processesOutput.print(profiles);
  else process.stdout.write(`${printable(tableOf(profiles, heap))}\n`);
}

const counted = (processes: number) => (processes === 1 ? "1 process" : `${processes} processes`);

function tableOf(profiles: readonly ProcessProfile[], heap: boolean): string {
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
