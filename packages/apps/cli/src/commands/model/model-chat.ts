import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { reportFailure } from "../../display/failure.js";
import { refuseToWait } from "../../input/no-input.js";
import { ChatSession } from "../../models/chat-session.js";
import { modelArgument } from "../../models/model-input.js";
import {
  defaultModel,
  openTextSource,
  type SamplingFlags,
  type SourceFlags,
  withSamplingFlags,
  withSourceFlags,
} from "../../models/text-source.js";

interface ChatFlags extends SamplingFlags, SourceFlags {
  readonly system?: string;
  readonly once?: string;
  readonly stats?: boolean;
}

export function addModelChat(model: Command): void {
  const command = model
    .command("chat")
    .description("chats with a model; /help lists the commands inside")
    .argument("[model]", modelArgument, defaultModel)
    .option("--system <text>", "system prompt")
    .option("--once <question>", "asks this question and exits")
    .option("--stats", "prints times and tokens/s after each answer");
  withSourceFlags(withSamplingFlags(command)).action(async (name: string, flags: ChatFlags) => {
    if (flags.once === undefined) refuseToWait("give --once QUESTION");
    const terminal = process.stdin.isTTY && process.stdout.isTTY;
    const source = await openTextSource(name, flags, { parallel: 1 });
    const session = new ChatSession(
      source,
      { system: flags.system, seed: flags.seed, stats: flags.stats ?? false },
      (text) => process.stdout.write(text),
    );
    try {
      if (flags.once !== undefined) await session.say(flags.once, interrupted().signal);
      else await converse(session, terminal ? `${source.name}; /help, /exit, Ctrl-C stops an answer\n` : "");
    } finally {
      await source.close();
    }
  });
}

/** Reads lines until the end of the input, one answer at a time. */
async function converse(session: ChatSession, greeting: string): Promise<void> {
  const terminal = greeting !== "";
  process.stdout.write(greeting);
  const lines = createInterface({
    input: process.stdin,
    output: terminal ? process.stdout : undefined,
    prompt: "> ",
  });
  let answering: AbortController | undefined;
  lines.on("SIGINT", () => {
    // During an answer Ctrl-C stops the answer; at the prompt it exits.
    if (answering === undefined) lines.close();
    else answering.abort(new Error("stopped"));
  });
  if (terminal) lines.prompt();
  for await (const line of lines) {
    answering = terminal ? new AbortController() : interrupted();
    try {
      if (!(await session.line(line, answering.signal))) break;
    } catch (reason) {
      if (terminal && answering.signal.aborted) process.stdout.write("(stopped)\n");
      else {
        // One answer failed. A user may continue, and a script sees the exit code.
        const code = reportFailure(reason);
        if (terminal) continue;
        process.exitCode = code;
        break;
      }
    } finally {
      answering = undefined;
      if (terminal) lines.prompt();
    }
  }
  lines.close();
}

/** Aborts at Ctrl-C, for runs without a prompt. */
function interrupted(): AbortController {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort(new Error("stopped by SIGINT")));
  return controller;
}
