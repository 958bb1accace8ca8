import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Cluster, JobInfo } from "@palimpsest/client";
import { joinSignals } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { namingNear } from "../../cluster/near-name.js";
import { tellIfNeverFits, tellWhileItWaits } from "../../cluster/waiting-job.js";
import { JsonOutput } from "../../display/json-output.js";
import { writeOutput } from "../../display/output.js";
import { printableLine } from "../../display/printable.js";
import { formatTable } from "../../display/table.js";
import { existingFolder, existingPath } from "../../input/existing-path.js";
import { exitCodes } from "../../input/exit-codes.js";
import {
  collect,
  collectVariables,
  parseAmount,
  parseInteger,
  parseKeyValues,
  parsePositive,
  parseQuantities,
  parseWhole,
} from "../../input/key-values.js";
import { stopSignal } from "../../input/signals.js";
import { jobSchema } from "../../state/row-schemas.js";
import { formatResources } from "./status.js";

export const jobHeadings = [
  "job",
  "name",
  "status",
  "attempt",
  "node",
  "pid",
  "submitted",
  "resources",
  "metadata",
  "message",
];

export function jobRows(jobs: readonly JobInfo[]): string[][] {
  return jobs.map((job) => [
    job.jobId,
    job.name,
    job.status === "running" && job.stopRequested ? "stopping" : job.status,
    job.maxAttempts > 1 ? `${job.attempt}/${job.maxAttempts}` : "",
    job.nodeId,
    job.driverPid > 0 ? String(job.driverPid) : "",
    job.submittedAtMs > 0 ? new Date(job.submittedAtMs).toISOString() : "",
    formatResources(job.resources),
    Object.entries(job.metadata)
      .map(([name, value]) => `${name}=${value}`)
      .join(", "),
    job.message,
  ]);
}

async function submission(file: string, argv: readonly string[]) {
  const path = resolve(file);
  if (/\.ya?ml$/.test(path)) {
    const { carriedRecipe, readRecipe } = await import("@palimpsest/trainer");
    const { text } = readRecipe(path);
    const onNotice = (notice: string) => process.stderr.write(`${notice}\n`);
    return { recipe: await carriedRecipe(text, dirname(path), file, { onNotice }), name: file, argv };
  }
  const found = existingPath(path, file, "name a recipe (.yaml) or a program (.ts, .js)");
  if (found.isDirectory())
    throw refused(`${file} is a folder: name a recipe (.yaml) or a program (.ts, .js) in it`);
  if (/\.[cm]?[jt]sx?$/.test(path)) return { program: pathToFileURL(path), name: file, argv };
  throw refused(`${file} is neither a recipe (.yaml) nor a program (.ts, .js); give one of these`);
}

const refused = (problem: string) => new PalimpsestError("INVALID_ARGUMENT", problem);

interface SubmitOptions extends ConnectionOptions {
  readonly follow?: boolean;
  readonly submissionId?: string;
  readonly workingDir?: string;
  readonly env?: Record<string, string>;
  readonly packages?: string;
  readonly installScripts?: boolean;
  readonly cpus?: number;
  readonly gpus?: number;
  readonly resources?: Record<string, number>;
  readonly metadata?: Record<string, string>;
  readonly retries: number;
  readonly retryFailures?: boolean;
  readonly priority?: number;
  readonly fairnessKey?: string;
  readonly weight?: number;
  readonly json?: boolean;
}

/** Returns the runtime environment of the driver and of what it spawns. */
function environmentOf({ workingDir, env, packages, installScripts }: SubmitOptions) {
  if (installScripts && !packages)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      "--install-scripts is given without --packages, to which it applies: give both, or neither",
    );
  if (workingDir !== undefined)
    existingFolder(workingDir, `--working-dir ${workingDir}`, "name one that exists");
  return {
    environment: env ?? {},
    ...(workingDir ? { workingDir } : {}),
    ...(packages ? { packages: { manifest: packages, installScripts: installScripts ?? false } } : {}),
  };
}

/** Returns the resources that the driver itself leases on its node. */
function driverResources({ cpus, gpus, resources }: SubmitOptions): Record<string, number> {
  return {
    ...resources,
    ...(cpus === undefined ? {} : { cpu: cpus }),
    ...(gpus === undefined ? {} : { gpu: gpus }),
  };
}

/** Prints the driver's output until the job and its further attempts have ended, and sets the exit code of the last. */
async function follow(cluster: Cluster, jobId: string, signal = stopSignal()): Promise<void> {
  const waiting = joinSignals(signal);
  const told = tellWhileItWaits(cluster, jobId, waiting.signal);
  try {
    await writeOutput(cluster.jobs.logBytes(jobId, { follow: true, signal }));
  } finally {
    waiting.abort(undefined);
    waiting.forget();
    await told;
  }
  const job = await cluster.jobs.get(jobId);
  process.stderr.write(`job ${jobId} ${job.status}${job.message ? `: ${printableLine(job.message)}` : ""}\n`);
  if (signal.aborted && job.endedAtMs === 0) {
    process.stderr.write(
      `it goes on: \`palimpsest job logs ${jobId} --follow\` follows it, \`palimpsest job stop ${jobId}\` ends it\n`,
    );
    process.exitCode = exitCodes.interrupted;
  } else if (job.retriedAs !== "" && !signal.aborted) await follow(cluster, job.retriedAs, signal);
  else if (job.status !== "succeeded") process.exitCode = job.driverExitCode || 1;
}

const jobOutput = new JsonOutput(() => jobSchema);
const jobsOutput = new JsonOutput(() => z.array(jobSchema));

export function addJob(program: Command): void {
  const job = program.command("job").description("commands for jobs, whose drivers run on the cluster");
  withConnection(job.command("submit"))
    .description("submits a recipe (.yaml) or a program (.ts, .js: which is bundled and uploaded)")
    .argument("<file>", "recipe or program")
    .argument("[argv...]", "arguments for the program, or options of `train` for a recipe")
    .option("--follow", "prints the output until the job ends, and exits with its exit code")
    .option("--submission-id <id>", "id of the submission; submitting the same id again has no effect")
    .option(
      "--working-dir <folder>",
      "folder that is uploaded with the job; the job, its actors and its tasks run in a copy of it; .gitignore is respected",
    )
    .option(
      "--env <NAME=VALUE>",
      "environment variable of the job, its actors and its tasks; NAME alone passes this command's value, which keeps a secret out of process lists; may be repeated",
      collectVariables(process.env),
    )
    .option(
      "--packages <package.json>",
      "package.json of npm packages for the job, its actors and its tasks, with a lockfile next to it",
    )
    .option("--install-scripts", "run the packages' scripts while nodes install them")
    .option("--cpus <count>", "CPUs that the driver itself leases (default: none)", parseAmount)
    .option("--gpus <count>", "GPUs that the driver itself leases (default: none)", parseAmount)
    .option("--resources <name=amount,…>", "custom resources for the driver", collect(parseQuantities))
    .option(
      "--metadata <key=value,…>",
      "metadata shown with the job; may be repeated",
      collect(parseKeyValues),
    )
    .option(
      "--retries <count>",
      "how often the head submits it again, from its beginning, when its node is lost: at most 100",
      parseWhole,
      0,
    )
    .option("--retry-failures", "with --retries: also when its driver fails")
    .option(
      "--priority <number>",
      "what it asks for is placed before what has a lower priority: -1000 to 1000",
      parseInteger,
    )
    .option("--fairness-key <key>", "jobs of one key share what the key's weight is worth")
    .option("--weight <number>", "weight of the fairness key, or of this job without one", parsePositive)
    .addOption(jobOutput.option("prints the job as JSON in place of its id").conflicts("follow"))
    .action(async (file: string, argv: string[], options: SubmitOptions) => {
      if (options.retryFailures && options.retries === 0)
        throw new PalimpsestError(
          "INVALID_ARGUMENT",
          "--retry-failures is given without --retries: give --retries COUNT, too",
        );
      const submitted = { ...(await submission(file, argv)), ...environmentOf(options) };
      await withCluster(options, "job submit", async (cluster) => {
        const info = await cluster.jobs.submit({
          ...submitted,
          resources: driverResources(options),
          metadata: options.metadata ?? {},
          maxRetries: options.retries,
          retryFailures: options.retryFailures ?? false,
          ...(options.priority === undefined ? {} : { priority: options.priority }),
          ...(options.fairnessKey === undefined ? {} : { fairnessKey: options.fairnessKey }),
          ...(options.weight === undefined ? {} : { weight: options.weight }),
          ...(options.submissionId ? { submissionId: options.submissionId } : {}),
        });
        process.stderr.write(`job ${info.jobId} submitted\n`);
        if (options.follow) return await follow(cluster, info.jobId);
        if (options.json) jobOutput.print(info);
        else process.stdout.write(`${info.jobId}\n`);
        // The job was submitted, and its id was said: nothing that goes wrong from here on may deny that.
        await tellIfNeverFits(cluster, info).catch(() => undefined);
      });
    });
  withConnection(job.command("status"))
    .description("shows one job")
    .argument("<job>", "the job's id")
    .addOption(jobOutput.option())
    .action(async (jobId: string, options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "job status", async (cluster) => {
        const info = await namingNear(cluster, jobId, () => cluster.jobs.get(jobId));
        if (options.json) jobOutput.print(info);
        else process.stdout.write(`${formatTable(jobHeadings, jobRows([info]))}\n`);
      });
    });
  withConnection(job.command("logs"))
    .description("prints a job's output")
    .argument("<job>", "the job's id")
    .option("--follow", "continues until the job ends")
    .action(async (jobId: string, options: ConnectionOptions & { follow?: boolean }) => {
      await withCluster(options, "job logs", async (cluster) => {
        await namingNear(cluster, jobId, () =>
          options.follow ? follow(cluster, jobId) : writeOutput(cluster.jobs.logBytes(jobId)),
        );
      });
    });
  withConnection(job.command("stop"))
    .description("ends a job's driver, and with it its actors")
    .argument("<job>", "the job's id")
    .addOption(jobOutput.option())
    .action(async (jobId: string, options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "job stop", async (cluster) => {
        const info = await namingNear(cluster, jobId, () => cluster.jobs.stop(jobId));
        if (options.json) jobOutput.print(info);
        else process.stdout.write(`job ${jobId} ${info.status}\n`);
      });
    });
  withConnection(job.command("delete"))
    .description("deletes a job that has ended, with its output")
    .argument("<job>", "the job's id")
    .addOption(jobOutput.option())
    .action(async (jobId: string, options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "job delete", async (cluster) => {
        const info = await namingNear(cluster, jobId, () => cluster.jobs.delete(jobId));
        if (options.json) jobOutput.print(info);
        else process.stdout.write(`job ${info.jobId} deleted\n`);
      });
    });
  withConnection(job.command("list"))
    .description("lists all jobs")
    .addOption(jobsOutput.option())
    .action(async (options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "job list", async (cluster) => {
        const jobs = await cluster.jobs.list();
        if (options.json) jobsOutput.print(jobs);
        else process.stdout.write(`${formatTable(jobHeadings, jobRows(jobs))}\n`);
      });
    });
}
