import type { ProcessStack } from "@palimpsest/client";
import type { Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { printable, printableJson } from "../../display/printable.js";

function formatStack({ title, pid, busy, method, frames, problem }: ProcessStack): string {
  const whose = `${title} (pid ${pid})`;
  if (problem) return `${whose}: no stack: ${problem}`;
  if (!busy) return `${whose} is idle: it runs no JavaScript and waits for events`;
  const what = method ? ` runs ${method}()` : " is busy";
  return [`${whose}${what}`, ...frames.map((frame) => `    at ${frame}`)].join("\n");
}

export function addStack(program: Command): void {
  withConnection(program.command("stack"))
    .description("shows the JavaScript stack of a process, even while it computes and answers nothing else")
    .argument(
      "<target>",
      "id or name of an actor (also namespace/name), driver, job or node, or a process id",
    )
    .option("--json", "as JSON")
    .action(async (target: string, options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "stack", async (cluster) => {
        const stack = await cluster.stack(target);
        process.stdout.write(`${options.json ? printableJson(stack) : printable(formatStack(stack))}\n`);
        if (stack.problem) process.exitCode = 1;
      });
    });
}
