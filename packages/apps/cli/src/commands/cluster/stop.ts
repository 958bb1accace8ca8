import type { Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { printableJson } from "../../display/printable.js";

export function addStop(program: Command): void {
  withConnection(program.command("stop"))
    .description("shuts down the cluster in order: actors, nodes, head, and the head's own Redis")
    .option("--head-only", "nodes, actors and Redis keep running and wait for the head to come back")
    .option("--json", "as JSON")
    .action(async (options: ConnectionOptions & { headOnly?: boolean; json?: boolean }) => {
      await withCluster(options, "stop", (cluster) => cluster.shutdown({ all: options.headOnly !== true }), {
        anyProtocol: true,
      });
      if (options.json) {
        process.stdout.write(`${printableJson({ ends: options.headOnly ? "head" : "cluster" })}\n`);
        return;
      }
      process.stdout.write(
        options.headOnly ? "the head ends; start it again with the same --data-dir\n" : "the cluster ends\n",
      );
    });
}
