import { randomUUID } from "node:crypto";
import { StopText } from "@palimpsest/memory/text";
import { z } from "zod";

/** A call as OpenAI tells it; `arguments` is JSON text. */
export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

const opening = "<tool_call>";
const callPattern = /<tool_call>([\s\S]*?)(?:<\/tool_call>|$)/g;
const callSchema = z.object({
  name: z.string().min(1),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
});

/**
 * Takes the tool calls out of an answer that is written as Hermes and Qwen models write them:
 * `<tool_call>{"name": …, "arguments": {…}}</tool_call>`. Text goes through up to the first call and is held back from
 * there, so that no reader sees half a call; calls that do not parse come back as the text that they are.
 */
export class ToolCallReader {
  readonly #before = new StopText([opening]);
  #seen = "";
  #handedOn = 0;

  /** The text that is certain to be no part of a call. */
  push(text: string): string {
    this.#seen += text;
    const certain = this.#before.push(text);
    this.#handedOn += certain.length;
    return certain;
  }

  /** The rest: text that is no call after all, or the calls. */
  end(): { readonly text: string; readonly calls: readonly ToolCall[] } {
    const held = this.#seen.slice(this.#handedOn);
    const calls = [...held.matchAll(callPattern)].map(([, body]) => callOf(body ?? ""));
    const whole = calls.filter((call) => call !== undefined);
    const areCalls = calls.length > 0 && whole.length === calls.length;
    return areCalls ? { text: "", calls: whole } : { text: held, calls: [] };
  }
}

function callOf(body: string): ToolCall | undefined {
  try {
    const { name, arguments: given } = callSchema.parse(JSON.parse(body));
    const text = typeof given === "string" ? given : JSON.stringify(given);
    return {
      id: `call_${randomUUID().replaceAll("-", "")}`,
      type: "function",
      function: { name, arguments: text },
    };
  } catch {
    return undefined;
  }
}
