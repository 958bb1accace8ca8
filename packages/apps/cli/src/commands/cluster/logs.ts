import { PalimpsestError } from "@palimpsest/wire";
import { type Command, InvalidArgumentError } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { namingNear } from "../../cluster/near-name.js";
import { writeOutput } from "../../display/output.js";
import { stopSignal } from "../../input/signals.js";

interface LogsOptions extends ConnectionOptions {
  readonly follow?: boolean;
  readonly tail?: number;
  readonly incarnation?: number;
}

export function addLogs(program: Command): void {
  withConnection(program.command("logs"))
    .description("prints the output of an actor's process, or of a job's driver")
    .argument("<target>", "id, name or namespace/name of an actor, alive or dead, or id of a job")
    .option("--follow", "continues until the actor has died, across restarts, or the job has ended")
    .option("--tail <lines>", "for an actor: prints only this many last lines", whole)
    .option("--incarnation <n>", "for an actor: the incarnation, counted from 1; default: the newest", whole)
    .action(async (target: string, options: LogsOptions) => {
      const { follow = false, tail, incarnation } = options;
      const signal = stopSignal();
      await withCluster(options, "logs", async (cluster) => {
        const output = cluster.actorOutputBytes(target, {
          follow,
          signal,
          ...(tail === undefined ? {} : { tailLines: tail }),
          ...(incarnation === undefined ? {} : { incarnation }),
        });
        await namingNear(cluster, target, async () => {
          try {
            await writeOutput(output);
          } catch (error) {
            if (!(error instanceof PalimpsestError) || error.code !== "NOT_FOUND") throw error;
            const isJob = (await cluster.jobs.list()).some(({ jobId }) => jobId === target);
            if (!isJob) throw error;
            await writeOutput(cluster.jobs.logBytes(target, { follow, signal }));
          }
        });
      });
    });
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("give a whole number above 0");
  return Number(text);
}
