import { randomUUID } from "node:crypto";
import { StopText } from "@palimpsest/memory/text";
import { readWrittenObject } from "@palimpsest/model";

/** A call in OpenAI's format; `arguments` is JSON text. */
export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

const opening = "<tool_call>";
const closing = /\s*<\/tool_call>/y;

/**
 * Extracts the tool calls from an answer in the format of Hermes and Qwen models: `<tool_call>{"name": …,
 * "arguments": {…}}</tool_call>`, where Llama 3.1 writes `parameters`. Text passes through up to the first call and is
 * held back from there, so that no reader sees a partial call. Calls that do not parse are returned as text. The
 * arguments of a call are passed on as the model wrote them, because reading and writing them again would round long
 * numbers and move keys.
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
    const calls = callsIn(held);
    return calls.length > 0 ? { text: "", calls } : { text: held, calls: [] };
  }
}

/** Returns the calls of a text; none if one of them does not parse. */
function callsIn(text: string): readonly ToolCall[] {
  const calls: ToolCall[] = [];
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at)) {
    const call = callAt(text, at + opening.length);
    if (call === undefined) return [];
    calls.push(call.call);
    at = call.end;
  }
  return calls;
}

/** Reads one call, whose closing tag may be missing only at the end of the text. A tag inside a string is no tag. */
function callAt(text: string, at: number): { readonly call: ToolCall; readonly end: number } | undefined {
  try {
    const { members, end } = readWrittenObject(text, at);
    closing.lastIndex = end;
    const closed = closing.exec(text)?.[0].length;
    if (closed === undefined && text.slice(end).trim() !== "") return undefined;
    const name: unknown = JSON.parse(members.get("name") ?? "null");
    const given = argumentsOf(members.get("arguments") ?? members.get("parameters") ?? "{}");
    if (typeof name !== "string" || name === "" || given === undefined) return undefined;
    const id = `call_${randomUUID().replaceAll("-", "")}`;
    return {
      call: { id, type: "function", function: { name, arguments: given } },
      end: end + (closed ?? 0),
    };
  } catch {
    return undefined;
  }
}

/** Arguments are an object, or a text that holds one. */
function argumentsOf(written: string): string | undefined {
  if (written.startsWith("{")) return written;
  return written.startsWith('"') ? String(JSON.parse(written)) : undefined;
}
