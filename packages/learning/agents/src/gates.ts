/**
 * Responsibility: the marks of a reply by which an agent that reads section by section keeps its memory (write gate), and
 * ends its reading (exit gate); after GRU-Mem, arXiv:2602.10560.
 * Not responsible for: sampling, or what of a reply becomes memory.
 *
 * Invariants:
 * - GATES-1. Without gates a reply is taken as it is, and its limit is that of the memory.
 * - GATES-2. A memory that is kept stays as it is, in every head, and costs the tokens of its mark.
 * - GATES-3. After the mark that ends the reading no section is read; the answer is next.
 * - GATES-4. A mark is a word of its own: with `keep: same`, "sameness" is a memory.
 */
import { z } from "zod";
import type { EpisodeState, SampleCounts } from "./episode.js";
import { plainIds } from "./prompts/template.js";
import type { Tokenizer } from "./sampler.js";
import { segmentIds } from "./segment-ids.js";
import { characterEnd } from "./whole-characters.js";

const mark = z.string().regex(/\S/, "must not be blank");

/** The marks of an agent that reads. */
export const gatesSchema = z.strictObject({
  keep: mark
    .optional()
    .describe(
      "write gate: a reply to memoryPrompt that begins with this word, in any case, leaves the memory as it is; absent: every reply replaces it",
    ),
  stop: mark
    .optional()
    .describe(
      "exit gate: after a reply that ends with this word, in any case, no more sections are read and the answer is next; absent: all sections are read",
    ),
  exit: z
    .boolean()
    .default(true)
    .describe(
      "whether that word ends the reading; false: it is removed and changes nothing, for the first part of a training, in which an exit would mostly come too early and be unlearned",
    ),
});

type GateSettings = z.input<typeof gatesSchema>;

/** What a reply says at its gates. */
export interface GatedReply {
  /** The reply without the mark at its end. */
  readonly tokenIds: readonly number[];
  /** Whether the memory stays as it is. */
  readonly keeps: boolean;
  /** Whether the reading ends here. */
  readonly stops: boolean;
}

/** The gates of one episode. */
export class Gates {
  /** Most tokens that the mark at a reply's end adds to it. */
  readonly stopTokens: number;
  readonly #tokenizer: Tokenizer;
  readonly #keep: RegExp | undefined;
  readonly #stop: RegExp | undefined;
  readonly #exits: boolean;
  #kept: number;

  constructor(tokenizer: Tokenizer, { keep, stop, exit = true }: GateSettings = {}, from?: EpisodeState) {
    this.#tokenizer = tokenizer;
    this.#keep = keep === undefined ? undefined : wordAt(keep, (word) => `^\\s*${word}(?![\\p{L}\\p{N}])`);
    this.#stop =
      stop === undefined ? undefined : wordAt(stop, (word) => `(?<![\\p{L}\\p{N}])${word}[\\s.!*"'\`]*$`);
    this.#exits = exit;
    this.#kept = from?.counters?.["kept_memories"] ?? 0;
    const forms = stop === undefined ? [] : [stop, ` ${stop.trim()}`];
    this.stopTokens = Math.max(0, ...forms.map((text) => plainIds(tokenizer, text).length));
  }

  /** The number of memories that were kept; nothing without a write gate. */
  get counts(): Readonly<Record<string, number>> {
    return this.#keep === undefined ? {} : { kept_memories: this.#kept };
  }

  /**
   * Reads the marks of a reply. A reply of nothing but the mark at its end keeps the memory.
   * @param mostTokens of the reply without that mark, to which it is cut
   */
  read(reply: readonly number[], mostTokens: number): GatedReply {
    if (this.#keep === undefined && this.#stop === undefined)
      return { tokenIds: reply, keeps: false, stops: false };
    const text = this.#tokenizer.decode(reply);
    const stop = this.#stop?.exec(text) ?? null;
    const rest = stop === null ? text : text.slice(0, stop.index).trimEnd();
    const keeps = this.#keep?.test(rest) === true || (stop !== null && rest === "");
    if (keeps) this.#kept += 1;
    const segment = { text: rest, start: 0, end: rest.length };
    const ids = stop === null ? reply : segmentIds(this.#tokenizer, reply, text, segment);
    const isLong = this.#stop !== undefined && ids.length > mostTokens;
    const tokenIds = isLong ? ids.slice(0, characterEnd(this.#tokenizer, ids, mostTokens)) : ids;
    return { tokenIds, keeps, stops: this.#exits && stop !== null };
  }

  /** Returns the marks of a step as its record has them; nothing for gates that are not used. */
  recordOf({ keeps, stops }: GatedReply): { readonly written?: boolean; readonly exit?: boolean } {
    return {
      ...(this.#keep === undefined ? {} : { written: !keeps }),
      ...(this.#stop === undefined ? {} : { exit: stops }),
    };
  }

  /**
   * Returns what the gates have saved of an episode, as shares in [0, 1]: `unread_share` of its sections, and
   * `unwritten_share` of the tokens that the replies to all of them might have had. Nothing without gates, or for a
   * document whose length is not known.
   * @param counts of the conversations that read sections
   */
  savings(
    { conversations, sampledTokens }: Pick<SampleCounts, "conversations" | "sampledTokens">,
    sections: number | undefined,
    replyTokens: number,
  ): Readonly<Record<string, number>> {
    if ((this.#keep === undefined && this.#stop === undefined) || !sections) return {};
    return {
      unread_share: Math.max(0, 1 - conversations / sections),
      unwritten_share: Math.max(0, 1 - sampledTokens / (sections * replyTokens)),
    };
  }
}

function wordAt(mark: string, pattern: (word: string) => string): RegExp {
  const word = mark.trim().replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(pattern(word), "iu");
}
