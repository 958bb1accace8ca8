import { randomUUID } from "node:crypto";
import { StopText } from "@palimpsest/memory/text";
import { z } from "zod";

/** A call in OpenAI's format; `arguments` is JSON text. */
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
 * Extracts the tool calls from an answer in the format of Hermes and Qwen models: `<tool_call>{"name": …,
 * "arguments": {…}}</tool_call>`. Text passes through up to the first call and is held back from there, so that no
 * reader sees a partial call. Calls that do not parse are returned as text.
 */
export class ToolCallReader {
  readonly #before = new StopText([opening]);
  #seen = "";
  #handedOn = 0;

  /** Returns the text that certainly is not part of a call. */
  push(text: string): string {
    this.#seen += text;
    const certain = this.#before.push(text);
    this.#handedOn += certain.length;
    return certain;
  }

  /** Returns the rest: text that turned out not to be a call, or the calls. */
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
