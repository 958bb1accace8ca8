import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Cluster, JobInfo } from "@palimpsest/client";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../connection.js";
import { stopSignal } from "../signals.js";
import { formatTable } from "../table.js";

export const jobHeadings = ["job", "name", "status", "node", "pid", "submitted", "message"];

export function jobRows(jobs: readonly JobInfo[]): string[][] {
  return jobs.map((job) => [
    job.jobId,
    job.name,
    job.status,
    job.nodeId,
    job.driverPid > 0 ? String(job.driverPid) : "",
    job.submittedAtMs > 0 ? new Date(job.submittedAtMs).toISOString() : "",
    job.message,
  ]);
}

async function submission(file: string, argv: readonly string[]) {
  const path = resolve(file);
  if (/\.ya?ml$/.test(path)) {
    const { portableRecipe, readRecipe } = await import("@palimpsest/trainer");
    const { text } = readRecipe(path);
    return { recipe: portableRecipe(text, dirname(path), file), name: file, argv };
  }
  if (/\.[cm]?[jt]sx?$/.test(path)) return { program: pathToFileURL(path), name: file, argv };
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `${file} is neither a recipe (.yaml) nor a program (.ts, .js); give one of these`,
  );
}

/** Prints the driver's output until the job ends; the exit code is the job's. */
async function follow(cluster: Cluster, jobId: string): Promise<void> {
  const signal = stopSignal();
  for await (const text of cluster.jobs.logs(jobId, { follow: true, signal })) process.stdout.write(text);
  const job = await cluster.jobs.get(jobId);
  process.stderr.write(`job ${jobId} ${job.status}${job.message ? `: ${job.message}` : ""}\n`);
  if (job.status !== "succeeded") process.exitCode = job.driverExitCode || 1;
}

export function addJob(program: Command): void {
  const job = program.command("job").description("programs whose driver runs on the cluster");
  withConnection(job.command("submit"))
    .description("submits a recipe (.yaml) or a program (.ts, .js: bundled and sent)")
    .argument("<file>", "recipe or program")
    .argument("[argv...]", "arguments for the program, or options of `train` for a recipe")
    .option("--follow", "prints the output until the job ends, and ends with its exit code")
    .option("--submission-id <id>", "submitting the same id again changes nothing")
    .action(
      async (
        file: string,
        argv: string[],
        options: ConnectionOptions & { follow?: boolean; submissionId?: string },
      ) => {
        const submitted = await submission(file, argv);
        await withCluster(options, "job submit", async (cluster) => {
          const info = await cluster.jobs.submit({
            ...submitted,
            ...(options.submissionId ? { submissionId: options.submissionId } : {}),
          });
          process.stderr.write(`job ${info.jobId} submitted\n`);
          if (options.follow) await follow(cluster, info.jobId);
          else process.stdout.write(`${info.jobId}\n`);
        });
      },
    );
  withConnection(job.command("status"))
    .description("one job")
    .argument("<job>", "its id")
    .option("--json", "as JSON")
    .action(async (jobId: string, options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "job status", async (cluster) => {
        const info = await cluster.jobs.get(jobId);
        process.stdout.write(
          `${options.json ? JSON.stringify(info, null, 2) : formatTable(jobHeadings, jobRows([info]))}\n`,
        );
      });
    });
  withConnection(job.command("logs"))
    .description("a job's output")
    .argument("<job>", "its id")
    .option("--follow", "until the job ends")
    .action(async (jobId: string, options: ConnectionOptions & { follow?: boolean }) => {
      await withCluster(options, "job logs", async (cluster) => {
        if (options.follow) await follow(cluster, jobId);
        else for await (const text of cluster.jobs.logs(jobId)) process.stdout.write(text);
      });
    });
  withConnection(job.command("stop"))
    .description("ends a job's driver, and with it its actors")
    .argument("<job>", "its id")
    .action(async (jobId: string, options: ConnectionOptions) => {
      await withCluster(options, "job stop", async (cluster) => {
        process.stdout.write(`job ${jobId} ${(await cluster.jobs.stop(jobId)).status}\n`);
      });
    });
  withConnection(job.command("list"))
    .description("every job")
    .option("--json", "as JSON")
    .action(async (options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "job list", async (cluster) => {
        const jobs = await cluster.jobs.list();
        process.stdout.write(
          `${options.json ? JSON.stringify(jobs, null, 2) : formatTable(jobHeadings, jobRows(jobs))}\n`,
        );
      });
    });
}
