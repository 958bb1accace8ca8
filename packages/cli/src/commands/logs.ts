import { PalimpsestError } from "@palimpsest/wire";
import { type Command, InvalidArgumentError } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../connection.js";
import { writeOutput } from "../display/output.js";
import { stopSignal } from "../signals.js";

interface LogsOptions extends ConnectionOptions {
  readonly follow?: boolean;
  readonly tail?: number;
  readonly incarnation?: number;
}

export function addLogs(program: Command): void {
  withConnection(program.command("logs"))
    .description("prints what an actor's process has written, or a job's driver")
    .argument("<target>", "an actor by id, by name or by namespace/name, dead ones too, or a job by its id")
    .option("--follow", "goes on until the actor has died, over restarts, or the job has ended")
    .option("--tail <lines>", "of an actor: the last lines alone", whole)
    .option(
      "--incarnation <n>",
      "of an actor: which of its processes, counted from 1; default: the newest",
      whole,
    )
    .action(async (target: string, options: LogsOptions) => {
      const { follow = false, tail, incarnation } = options;
      const signal = stopSignal();
      await withCluster(options, "logs", async (cluster) => {
        const output = cluster.actorOutput(target, {
          follow,
          signal,
          ...(tail === undefined ? {} : { tailLines: tail }),
          ...(incarnation === undefined ? {} : { incarnation }),
        });
        try {
          for await (const text of output) writeOutput(text);
        } catch (error) {
          if (!(error instanceof PalimpsestError) || error.code !== "NOT_FOUND") throw error;
          const isJob = (await cluster.jobs.list()).some(({ jobId }) => jobId === target);
          if (!isJob) throw error;
          for await (const text of cluster.jobs.logs(target, { follow, signal })) writeOutput(text);
        }
      });
    });
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("give a whole number above 0");
  return Number(text);
}
