import type { ToolResult } from "@palimpsest/memory";
import { type LineForm, parseCallLines } from "./line-calls.js";
import type { ToolLoopSettings } from "./loop-settings.js";
import { parseBareCall, parseToolCalls, type ToolCallBlock } from "./tool-calls.js";

/** The calls and the text of one turn of the model. */
export interface TurnCalls {
  /** The calls, including malformed ones, in the order in which they were written. */
  readonly blocks: readonly ToolCallBlock[];
  /** The text of the turn without its calls. */
  readonly content: string;
  /** True if the turn contains the word by which the model ends the turns. */
  readonly done: boolean;
}

const unclosed = "a <tool_call> is opened and not closed";

/**
 * Parses one turn of the model.
 * @param text the turn without thinking
 * @param lineForms the forms of calls if `callForm` is "lines"
 */
export function readTurn(
  text: string,
  { callForm, doneWord, malformed }: Pick<ToolLoopSettings, "callForm" | "doneWord" | "malformed">,
  lineForms: readonly LineForm[],
): TurnCalls {
  if (callForm === "lines") {
    const { blocks, content } = parseCallLines(text, lineForms);
    return { blocks: kept(blocks, malformed), content, done: says(content, doneWord) };
  }
  const bare = malformed === "answer" ? parseBareCall(text) : undefined;
  if (bare !== undefined) return { blocks: [bare], content: "", done: false };
  const { blocks, content } = parseToolCalls(text);
  const opened = content.includes("<tool_call>") ? [{ error: unclosed, written: content }] : [];
  return {
    blocks: kept([...(blocks ?? []), ...opened], malformed),
    content,
    done: says(content.split("<tool_call>")[0] ?? "", doneWord),
  };
}

const kept = (blocks: readonly ToolCallBlock[], malformed: ToolLoopSettings["malformed"]) =>
  malformed === "ignore" ? blocks.filter((block) => "call" in block) : blocks;

/** Returns whether the content contains the word, not as a part of another word. */
function says(content: string, word: string | null): boolean {
  return word !== null && content.split(/[^\p{L}\p{N}_-]+/u).includes(word);
}

/** Executes the calls of an episode, and counts their outcomes. */
export class CallCounts {
  readonly #byTool: Map<string, number>;
  #done = 0;
  #malformed = 0;
  #failed = 0;
  #refused = 0;
  #cutResults = 0;

  constructor(tools: readonly string[]) {
    this.#byTool = new Map(tools.map((name) => [name, 0]));
  }

  /**
   * Executes the call of one block.
   * @returns what the model reads: the result, or what is wrong with the call
   * @throws errors that the model did not cause, such as an abort or an embedder that fails
   */
  async run(
    block: ToolCallBlock,
    call: (name: string, args: unknown) => Promise<ToolResult>,
    settings: Pick<ToolLoopSettings, "resultCharacters" | "resultCut">,
  ): Promise<string> {
    if ("error" in block) {
      this.#malformed += 1;
      return `Error: the call cannot be read: ${block.error}.`;
    }
    const { name, arguments: given } = block.call;
    const counted = this.#byTool.get(name);
    if (counted !== undefined) this.#byTool.set(name, counted + 1);
    const { outcome, text } = await call(name, given);
    if (outcome === "done") this.#done += 1;
    if (outcome === "malformed") this.#malformed += 1;
    if (outcome === "failed") this.#failed += 1;
    return this.#cut(text, settings);
  }

  /** Counts a call beyond the limit per turn, and returns what the model reads instead of its result. */
  refuse(most: number): string {
    this.#refused += 1;
    return `Error: a turn has at most ${most} call${most === 1 ? "" : "s"}; this one was not made.`;
  }

  /** The counts by the names under which they are logged. */
  get counters(): Record<string, number> {
    return {
      ...Object.fromEntries([...this.#byTool].map(([name, count]) => [`tool_call_counts.${name}`, count])),
      done_calls: this.#done,
      malformed_calls: this.#malformed,
      failed_calls: this.#failed,
      refused_calls: this.#refused,
      cut_results: this.#cutResults,
    };
  }

  #cut(
    text: string,
    { resultCharacters: most, resultCut }: Pick<ToolLoopSettings, "resultCharacters" | "resultCut">,
  ): string {
    // A text never has more characters than UTF-16 units, so most texts need not be counted.
    if (text.length <= most) return text;
    const left = characterCount(text) - most;
    if (left <= 0) return text;
    this.#cutResults += 1;
    const note = ` … ${left} characters left out …`;
    const head = resultCut === "end" ? most : Math.ceil(most / 2);
    const tail = resultCut === "end" ? "" : ` ${text.slice(lastCharacters(text, most - head))}`;
    return `${text.slice(0, firstCharacters(text, head))}${note}${tail}`;
  }
}

// Texts are scanned in place, because an array of the characters of a long text would fill the process's memory.

/** Returns whether the unit is a high surrogate, the first half of a character. */
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

function characterCount(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++)
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) count--;
  return count;
}

/** Returns the index at which the first `count` characters end. */
function firstCharacters(text: string, count: number): number {
  let at = 0;
  for (let n = 0; n < count; n++) at += isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
  return at;
}

/** Returns the index at which the last `count` characters begin. */
function lastCharacters(text: string, count: number): number {
  let at = text.length;
  for (let n = 0; n < count; n++)
    at -= isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2)) ? 2 : 1;
  return at;
}
