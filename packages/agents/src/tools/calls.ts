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
    const { calls, content } = parseCallLines(text, lineForms);
    return { blocks: calls.map((call) => ({ call })), content, done: says(content, doneWord) };
  }
  const { blocks, content } = parseToolCalls(text);
  const opened = content.includes("<tool_call>") ? [{ error: unclosed }] : [];
  const readable = [...(blocks ?? []), ...opened];
  const kept = malformed === "ignore" ? readable.filter((block) => "call" in block) : readable;
  return { blocks: kept, content, done: says(content.split("<tool_call>")[0] ?? "", doneWord) };
}

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
    // As many UTF-16 units are never more characters: most results need not be taken apart.
    if (text.length <= most) return text;
    const characters = [...text];
    if (characters.length <= most) return text;
    this.#cutResults += 1;
    const note = ` … ${characters.length - most} characters left out … `;
    const head = resultCut === "end" ? most : Math.ceil(most / 2);
    return `${characters.slice(0, head).join("")}${note.trimEnd()}${
      resultCut === "end" ? "" : ` ${characters.slice(head - most).join("")}`
    }`;
  }
}
