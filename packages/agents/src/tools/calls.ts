import type { ToolResult } from "@palimpsest/memory";
import { type LineForm, parseCallLines } from "./line-calls.js";
import type { ToolLoopSettings } from "./loop-settings.js";
import { parseToolCalls, type ToolCallBlock } from "./tool-calls.js";

/** What a turn of the model asks for. */
export interface TurnCalls {
  /** Calls, and what cannot be read as one, in the order in which they were written. */
  readonly blocks: readonly ToolCallBlock[];
  /** What the turn says beside its calls. */
  readonly content: string;
  /** The turn says that nothing is left to do. */
  readonly done: boolean;
}

const unclosed = "a <tool_call> is opened and not closed";

/**
 * @param text the turn without thinking
 * @param lineForms how calls look where they are lines
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
  const { blocks, content } = parseToolCalls(text);
  const opened = content.includes("<tool_call>") ? [{ error: unclosed }] : [];
  return {
    blocks: kept([...(blocks ?? []), ...opened], malformed),
    content,
    done: says(content.split("<tool_call>")[0] ?? "", doneWord),
  };
}

const kept = (blocks: readonly ToolCallBlock[], malformed: ToolLoopSettings["malformed"]) =>
  malformed === "ignore" ? blocks.filter((block) => "call" in block) : blocks;

/** The word by itself, anywhere beside the calls. */
function says(content: string, word: string | null): boolean {
  return word !== null && content.split(/[^\p{L}\p{N}_-]+/u).includes(word);
}

/** What the calls of an episode came to. */
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
   * Carries out one block.
   * @returns what the model reads: a result, or what is wrong
   * @throws what is not the model's mistake: an abort, a failing embedder
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

  /** One call more than a turn may have. */
  refuse(most: number): string {
    this.#refused += 1;
    return `Error: a turn has at most ${most} call${most === 1 ? "" : "s"}; this one was not made.`;
  }

  /** By the names under which they are logged. */
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
    // As many UTF-16 units are never more characters.
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

// Texts are walked and not taken apart: a list of the characters of a long one would fill the process's memory.

/** Whether the unit is the first half of a character. */
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

function characterCount(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++)
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) count--;
  return count;
}

/** Where so many characters from the beginning end. */
function firstCharacters(text: string, count: number): number {
  let at = 0;
  for (let n = 0; n < count; n++) at += isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
  return at;
}

/** Where so many characters before the end begin. */
function lastCharacters(text: string, count: number): number {
  let at = text.length;
  for (let n = 0; n < count; n++)
    at -= isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2)) ? 2 : 1;
  return at;
}
