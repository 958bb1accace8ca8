import type { MemoryTools, ToolContext } from "@palimpsest/memory";
import type { MemUpdateConfig } from "./config.js";
import { parseCallLines } from "./line-calls.js";
import { parseToolCalls, type ToolCallBlock } from "./tool-calls.js";

/** What a turn of the model asks for. */
export interface TurnCalls {
  /** Calls, and what cannot be read as one, in the order in which they were written. */
  readonly blocks: readonly ToolCallBlock[];
  /** The turn says that nothing is left to do. */
  readonly done: boolean;
}

const unclosed = "a <tool_call> is opened and not closed";

/** @param text the turn without thinking */
export function readTurn(text: string, config: MemUpdateConfig): TurnCalls {
  const { callForm, doneWord, lineTopK } = config;
  if (callForm === "lines") {
    const { calls, content } = parseCallLines(text, lineTopK);
    return { blocks: calls.map((call) => ({ call })), done: says(content, doneWord) };
  }
  const { blocks, content } = parseToolCalls(text);
  const opened = content.includes("<tool_call>") ? [{ error: unclosed }] : [];
  const readable = [...(blocks ?? []), ...opened];
  const kept = config.malformed === "ignore" ? readable.filter((block) => "call" in block) : readable;
  return { blocks: kept, done: says(content.split("<tool_call>")[0] ?? "", doneWord) };
}

/** The word by itself, anywhere beside the calls. */
function says(content: string, word: string): boolean {
  return content.split(/[^\p{L}\p{N}_-]+/u).includes(word);
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
    tools: MemoryTools,
    context: ToolContext,
    config: MemUpdateConfig,
  ): Promise<string> {
    if ("error" in block) {
      this.#malformed += 1;
      return `Error: the call cannot be read: ${block.error}.`;
    }
    const { name, arguments: given } = block.call;
    const counted = this.#byTool.get(name);
    if (counted !== undefined) this.#byTool.set(name, counted + 1);
    const { outcome, text } = await tools.run(name, given, context);
    if (outcome === "done") this.#done += 1;
    if (outcome === "malformed") this.#malformed += 1;
    if (outcome === "failed") this.#failed += 1;
    return this.#cut(text, config);
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

  #cut(text: string, { resultCharacters: most, resultCut }: MemUpdateConfig): string {
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
