import type { ProcessStack } from "@palimpsest/client";
import type { Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { namingNear } from "../../cluster/near-name.js";
import { JsonOutput } from "../../display/json-output.js";
import { printable } from "../../display/printable.js";
import { stackSchema } from "../../state/row-schemas.js";

function formatStack({ title, pid, busy, method, frames, problem }: ProcessStack): string {
  const whose = `${title} (pid ${pid})`;
  if (problem) return `${whose}: no stack: ${problem}`;
  if (!busy) return `${whose} is idle: it runs no JavaScript and waits for events`;
  const what = method ? ` runs ${method}()` : " is busy";
  return [`${whose}${what}`, ...frames.map((frame) => `    at ${frame}`)].join("\n");
}

const output = new JsonOutput(() => stackSchema);

export function addStack(program: Command): void {
  withConnection(program.command("stack"))
    .description("shows the JavaScript stack of a process, even while it computes and answers nothing else")
    .argument(
      "<target>",
      "id or name of an actor (also namespace/name), driver, job or node, or a process id",
    )
    .addOption(output.option())
    .action(async (target: string, options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "stack", async (cluster) => {
        const stack = await namingNear(cluster, target, () => cluster.stack(target));
        const { title, pid, busy, method, frames, problem } = stack;
        if (options.json) output.print({ title, pid, busy, method, frames, problem });
        else process.stdout.write(`${printable(formatStack(stack))}\n`);
        if (stack.problem) process.exitCode = 1;
      });
    });
}
