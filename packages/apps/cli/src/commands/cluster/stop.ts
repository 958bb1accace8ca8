import type { Command } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { JsonOutput } from "../../display/json-output.js";

const output = new JsonOutput(() => z.strictObject({ ends: z.enum(["head", "cluster"]) }));

export function addStop(program: Command): void {
  withConnection(program.command("stop"))
    .description("shuts down the cluster in order: actors, nodes, head, and the head's own Redis")
    .option("--head-only", "nodes, actors and Redis keep running and wait for the head to come back")
    .addOption(output.option())
    .action(async (options: ConnectionOptions & { headOnly?: boolean; json?: boolean }) => {
      await withCluster(options, "stop", (cluster) => cluster.shutdown({ all: options.headOnly !== true }), {
        anyProtocol: true,
      });
      if (options.json) {
        output.print({ ends: options.headOnly ? "head" : "cluster" });
        return;
      }
      process.stdout.write(
        options.headOnly ? "the head ends; start it again with the same --data-dir\n" : "the cluster ends\n",
      );
    });
}
