/** One call that a model wrote. */
export interface ToolCall {
  readonly name: string;
  /** The arguments, of any JSON type; the tool validates them. */
  readonly arguments: unknown;
}

/** The block between <tool_call> and </tool_call>: a call, or the reason why it is malformed, with what was written. */
export type ToolCallBlock =
  | { readonly call: ToolCall }
  | { readonly error: string; readonly written: string };

/** A reply of a model, taken apart into tool calls and the text around them. */
export interface ToolCallReply {
  /** The blocks in the order in which they were written; null if the reply has no opening or no closing mark at all. */
  readonly blocks: readonly ToolCallBlock[] | null;
  /** The reply without the blocks, not trimmed. */
  readonly content: string;
}

const opening = "<tool_call>";
const closing = "</tool_call>";
const block = /<tool_call>(.*?)<\/tool_call>/gs;

/**
 * Parses the tool calls of a reply in the format of Hermes and Qwen:
 * `<tool_call>{"name": …, "arguments": …}</tool_call>`. It does the same as verl's parser (the tests have golden
 * values), except for what is not standard JSON: blocks with NaN, Infinity or numbers beyond the range of a double are
 * malformed.
 */
export function parseToolCalls(text: string): ToolCallReply {
  if (!text.includes(opening) || !text.includes(closing)) return { blocks: null, content: text };
  const blocks = [...text.matchAll(block)].map(([, written = ""]) => readBlock(written));
  return { blocks, content: text.replace(block, "") };
}

const fence = /^```(?:json)?\s*\n(.*?)\n?```$/s;

/**
 * Parses a reply that is nothing but one call without its marks, by itself or as a block of code, as small models write it whose
 * template asks for marks.
 * @returns undefined if the reply is no such call
 */
export function parseBareCall(text: string): ToolCallBlock | undefined {
  const trimmed = text.trim();
  const written = fence.exec(trimmed)?.[1]?.trim() ?? trimmed;
  return /^\{\s*"name"\s*:/.test(written) ? readBlock(written) : undefined;
}

function readBlock(written: string): ToolCallBlock {
  const malformed = (error: string) => ({ error, written: written.trim() });
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch (reason) {
    return malformed(`no valid JSON (${reason instanceof Error ? reason.message : String(reason)})`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return malformed('no JSON object with "name" and "arguments"');
  const { name, arguments: given } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== "string") return malformed('"name" is missing or no text');
  if (given === undefined) return malformed('"arguments" is missing');
  if (holdsInfinity(given)) return malformed("a number is too large");
  return { call: { name, arguments: given } };
}

function holdsInfinity(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsInfinity);
}
