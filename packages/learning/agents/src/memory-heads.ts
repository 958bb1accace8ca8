/**
 * Responsibility: the memory of an agent that reads, as one text or as several heads: how prompts show it, and which
 * head a step rewrites (arXiv:2607.01523).
 * Not responsible for: sampling, or what of a reply becomes memory.
 *
 * Invariants:
 * - MEMORYHEADS-1. With one head the memory is the ids that were written, and nothing is added to them, cut or counted.
 * - MEMORYHEADS-2. A write changes exactly one of several heads: the least recently written one, the one that the reply
 *   names first, or the one that says least of the question. Of heads that were never written, the first is taken.
 * - MEMORYHEADS-3. Each of several heads holds at most memoryTokens / heads tokens, cut between characters (CHARACTERS-1).
 * - MEMORYHEADS-4. Every prompt, including that of the answer, shows all heads; with `shown: false` that of the answer alone.
 */
import { z } from "zod";
import type { EpisodeState } from "./episode.js";
import { AgentError } from "./error.js";
import { plainIds } from "./prompts/template.js";
import { quoteOf } from "./quotes.js";
import type { Tokenizer } from "./sampler.js";
import { segmentIds } from "./segment-ids.js";
import { characterEnd } from "./whole-characters.js";

/** How the memory of an agent that reads is divided. */
export const memoryHeadsSchema = z.strictObject({
  heads: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe("number of heads of memoryTokens / heads tokens each, of which a step rewrites one"),
  select: z
    .enum(["lru", "chosen", "relevant"])
    .default("lru")
    .describe(
      "which head a step rewrites. lru: the least recently written one; chosen: the one that the new memory names first, such as [2]; without such a name the least recently written one; relevant: the one that has the fewest words of the question out of its section, where words that the section repeats count less",
    ),
  label: z
    .string()
    .default("\n[{head}] ")
    .describe("text before each of several heads in a prompt, with {head} for its number"),
  shown: z
    .boolean()
    .default(true)
    .describe(
      "whether the prompt of a memory update shows the heads; false: a note is written of its section alone, which keeps a small model from repeating the notes before it",
    ),
  quotes: z
    .boolean()
    .default(false)
    .describe(
      "whether a head keeps, in place of the new memory, the sentences of the section that have its words, as many as fit; what no sentence says is not kept, so that a model that invents harms no memory",
    ),
  turn: z
    .string()
    .optional()
    .describe(
      "text after the last of several heads in the prompt of a memory update, with {head} for the number of the least recently written one; absent: a sentence that says which head is written",
    ),
});

type HeadSettings = z.infer<typeof memoryHeadsSchema>;

const turns = {
  relevant: "\nWrite only one anew; the others stay as they are.",
  lru: "\nWrite only [{head}] anew; the others stay as they are.",
  chosen:
    "\nBegin with the number of the one that you write anew, such as [{head}]; the others stay as they are.",
} as const;

/** The name of a head at the beginning of a new memory. */
const headName = /^\s*\[\s*(\d+)\s*\]/;

/** Refuses settings whose heads would hold no token; for the schemas of agents that read. */
export function checkHeads(
  { memoryTokens, memory }: { readonly memoryTokens: number; readonly memory?: HeadSettings | undefined },
  context: z.RefinementCtx,
): void {
  if (memory?.quotes === true && memory.heads === 1)
    context.addIssue({
      code: "custom",
      path: ["memory", "quotes"],
      message:
        "is true, but memory.heads is 1, and a section's quote would take the place of all that was read before; use more heads, or quotes: false",
    });
  if (memory === undefined || memory.heads <= memoryTokens) return;
  context.addIssue({
    code: "custom",
    path: ["memory", "heads"],
    message: `is ${memory.heads}, but memoryTokens is ${memoryTokens}, so that a head would hold no token; use fewer heads or more memoryTokens`,
  });
}

/** The heads of one configuration: their sizes, and the texts around them as token ids. */
export interface HeadLayout {
  readonly heads: number;
  readonly select: HeadSettings["select"];
  readonly shown: boolean;
  /** Whether heads keep sentences of the section in place of what was sampled. */
  readonly quotes: boolean;
  /** Most tokens of one head. */
  readonly headTokens: number;
  /** Most tokens of the name of a head that a reply begins with; 0 if replies name none. */
  readonly nameTokens: number;
  readonly labels: readonly (readonly number[])[];
  /** What follows the heads in the prompt of a memory update, by the head that is least recently written. */
  readonly turns: readonly (readonly number[])[];
}

/** Encodes the texts around the heads. */
export function headLayout(
  tokenizer: Tokenizer,
  { memoryTokens, memory }: { readonly memoryTokens: number; readonly memory?: HeadSettings | undefined },
): HeadLayout {
  if (memory === undefined || memory.heads === 1) {
    return {
      heads: 1,
      select: "lru",
      shown: true,
      quotes: false,
      headTokens: memoryTokens,
      nameTokens: 0,
      labels: [[]],
      turns: [[]],
    };
  }
  const { heads, select, shown, quotes, label, turn = turns[select] } = memory;
  const encoded = (text: string) =>
    Array.from({ length: heads }, (_, at) => plainIds(tokenizer, text.replaceAll("{head}", `${at + 1}`)));
  const names = select === "chosen" ? encoded("[{head}] ").map(({ length }) => length) : [0];
  return {
    heads,
    select,
    shown,
    quotes,
    headTokens: Math.floor(memoryTokens / heads),
    nameTokens: Math.max(...names),
    labels: encoded(label),
    turns: encoded(turn),
  };
}

/** What a step writes: the index of the head, from 0, and its new tokens. */
export interface HeadWrite {
  readonly head: number;
  readonly tokenIds: readonly number[];
  /** How much they say of the question; absent where heads are not chosen by it. */
  readonly relevance?: number | undefined;
}

/** What a new memory was written for, and from. */
export interface HeadSource {
  readonly question: string;
  readonly section: readonly number[];
}

interface Head {
  readonly tokenIds: readonly number[];
  /** The text, where the caller has one that the ids may not decode to. */
  readonly text?: string | undefined;
  /** The step that wrote it; absent if it still is the initial memory. */
  readonly step?: number | undefined;
  readonly relevance?: number | undefined;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * How much of the question a note took out of its section: each word that all three have counts once, divided by how often the
 * section has it, so that articles count for nothing and a question that the note merely repeats does not count either.
 */
function relevanceOf(question: string, note: string, section: string): number {
  const counts = new Map<string, number>();
  for (const word of wordsOf(section)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const noted = new Set(wordsOf(note));
  const common = [...new Set(wordsOf(question))].filter((word) => noted.has(word));
  return common.reduce((sum, word) => sum + 1 / (counts.get(word) ?? Number.POSITIVE_INFINITY), 0);
}

/** The memory of one episode. */
export class MemoryHeads {
  readonly #tokenizer: Tokenizer;
  readonly #layout: HeadLayout;
  readonly #heads: Head[];
  #misnamed: number;

  /**
   * @param initial the memory that each head begins as
   * @throws {AgentError} BAD_STATE if the state has another number of heads
   */
  constructor(
    tokenizer: Tokenizer,
    layout: HeadLayout,
    initial: readonly number[],
    from: EpisodeState | undefined,
  ) {
    const { heads } = layout;
    this.#tokenizer = tokenizer;
    this.#layout = layout;
    this.#misnamed = from?.counters?.["misnamed_heads"] ?? 0;
    const saved = from?.heads ?? (from && [{ tokenIds: from.memoryTokenIds }]);
    if (saved !== undefined && saved.length !== heads) {
      throw new AgentError(
        "BAD_STATE",
        `resumeFrom.heads: has ${saved.length}, but memory.heads is ${heads}; resume with the settings of the run that saved the state`,
      );
    }
    this.#heads = saved ? [...saved] : Array.from({ length: heads }, () => ({ tokenIds: initial }));
  }

  /** All heads with their labels, as the prompt of the answer shows them. */
  get tokenIds(): readonly number[] {
    const { heads, labels } = this.#layout;
    if (heads === 1) return this.#head(0).tokenIds;
    return this.#heads.flatMap(({ tokenIds }, at) => [...(labels[at] ?? []), ...tokenIds]);
  }

  /** All heads, and which is to be written, as the prompt of a memory update shows them. */
  get forUpdate(): readonly number[] {
    if (this.#layout.heads === 1) return this.tokenIds;
    const turn = this.#layout.turns[this.#oldest()] ?? [];
    return this.#layout.shown ? [...this.tokenIds, ...turn] : turn;
  }

  /** All heads as text. */
  get text(): string {
    if (this.#layout.heads === 1) return this.#textOf(this.#head(0));
    return this.#tokenizer.decode(this.tokenIds).trimStart();
  }

  /** The text of each head. */
  get texts(): readonly string[] {
    return this.#heads.map((head) => this.#textOf(head));
  }

  /** The counters of heads; empty where replies name none. */
  get counts(): Readonly<Record<string, number>> {
    return this.#layout.nameTokens > 0 ? { misnamed_heads: this.#misnamed } : {};
  }

  /** The part of a resumption state that is the memory. */
  get state(): Pick<EpisodeState, "memoryTokenIds" | "heads"> {
    const memoryTokenIds = this.tokenIds;
    if (this.#layout.heads === 1) return { memoryTokenIds };
    const heads = this.#heads.map(({ tokenIds, step, relevance }) => ({
      tokenIds,
      ...(step === undefined ? {} : { step }),
      ...(relevance === undefined ? {} : { relevance }),
    }));
    return { memoryTokenIds, heads };
  }

  /** Returns which head a new memory is for, and what of it fits there. Missing and unknown names are counted. */
  accept(memory: readonly number[], { question, section }: HeadSource): HeadWrite {
    const { heads, headTokens, select, quotes } = this.#layout;
    if (heads === 1) return { head: 0, tokenIds: memory };
    let head = this.#oldest();
    let rest = memory;
    if (select === "chosen") {
      const text = this.#tokenizer.decode(memory);
      const name = headName.exec(text);
      const chosen = Number(name?.[1] ?? 0);
      if (chosen >= 1 && chosen <= heads) head = chosen - 1;
      else this.#misnamed += 1;
      const start = name?.[0].length ?? 0;
      const segment = { text: text.slice(start), start, end: text.length };
      if (start > 0) rest = segmentIds(this.#tokenizer, memory, text, segment);
    }
    if (rest.length > headTokens) rest = rest.slice(0, characterEnd(this.#tokenizer, rest, headTokens));
    if (select !== "relevant" && !quotes) return { head, tokenIds: rest };
    const text = this.#tokenizer.decode(section);
    if (quotes) rest = quoteOf(this.#tokenizer, this.#tokenizer.decode(rest), text, headTokens);
    if (select !== "relevant") return { head, tokenIds: rest };
    return { head, tokenIds: rest, relevance: relevanceOf(question, this.#tokenizer.decode(rest), text) };
  }

  /**
   * Replaces one head.
   * @param text default: what the ids decode to
   */
  write({ head, tokenIds, relevance }: HeadWrite, step: number, text?: string): void {
    this.#heads[head] = { tokenIds, text, step, relevance };
  }

  /** Returns which head a step wrote, from 1, as records of the step have it; nothing where there is only one. */
  recordOf({ head }: HeadWrite): { readonly head?: number } {
    return this.#layout.heads === 1 ? {} : { head: head + 1 };
  }

  /** The head that is written where the reply names none: one that never was, else the least relevant, of these the oldest. */
  #oldest(): number {
    const order = ({ step, relevance = 0 }: Head) =>
      [step === undefined ? -1 : relevance, step ?? -1] as const;
    let found = 0;
    for (const [at, head] of this.#heads.entries()) {
      const [[relevance, step], [least, oldest]] = [order(head), order(this.#head(found))];
      if (relevance < least || (relevance === least && step < oldest)) found = at;
    }
    return found;
  }

  #head(at: number): Head {
    return this.#heads[at] as Head;
  }

  #textOf({ text, tokenIds }: Head): string {
    return text ?? this.#tokenizer.decode(tokenIds);
  }
}
