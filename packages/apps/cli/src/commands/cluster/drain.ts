import { delay } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { drainText } from "../../cluster/drain-text.js";
import { JsonOutput } from "../../display/json-output.js";
import { parseCount } from "../../input/key-values.js";
import { orMeant } from "../../input/unknown-value.js";

const pollMs = 1_000;
const defaultDeadlineSeconds = 600;

const output = new JsonOutput(() => z.strictObject({ node: z.string(), drained: z.literal(true) }));

export function addDrain(program: Command): void {
  withConnection(program.command("drain"))
    .description(
      "drains a node and ends it: nothing new is placed there, actors that can restart do so elsewhere, tasks finish, and objects are moved",
    )
    .argument("<node>", "id of the node")
    .addOption(
      new Option("--deadline <seconds>", "time after which everything that still runs there is ended")
        .argParser(parseCount)
        .default(defaultDeadlineSeconds),
    )
    .addOption(output.option())
    .action(
      async (
        node: string,
        {
          deadline,
          json,
          ...connection
        }: ConnectionOptions & { readonly deadline: number; readonly json?: boolean },
      ) => {
        await withCluster(connection, "drain", async (cluster) => {
          const nodes = (await cluster.nodes()).map(({ nodeId }) => nodeId);
          if (!nodes.includes(node))
            throw new PalimpsestError(
              "NOT_FOUND",
              `there is no node ${node}: see \`palimpsest list nodes\`${orMeant(node, nodes)}`,
            );
          let shown = "";
          for (;;) {
            const progress = await cluster.drain(node, { deadlineMs: deadline * 1_000 });
            if (progress.done) break;
            const line = drainText(progress);
            const [what = ""] = line.split(";");
            if (what !== shown) process.stderr.write(`${line}\n`);
            shown = what;
            await delay(pollMs);
          }
          if (json) output.print({ node, drained: true });
          else process.stdout.write(`node ${node} is drained and has left\n`);
        });
      },
    );
}
