/**
 * Responsibility: where a recall searches: the earlier memories of the episode, as in ReMemR1, or the sections of the
 * document that were read.
 * Not responsible for: reading queries in replies, or showing what was found.
 *
 * Invariants:
 * - RECALL-1. Nothing is found that the episode has not read or written.
 * - RECALL-2. What one recall finds has at most memoryTokens tokens.
 * - RECALL-3. Sections are kept up to `lookBack.bytes`; the oldest leave first, and are counted.
 * - RECALL-4. Resuming an episode finds what its first run would have found.
 */
import { Bm25Index } from "@palimpsest/memory";
import type { Chunk } from "../chunks.js";
import type { EarlierMemory, EpisodeState } from "../episode.js";
import type { Tokenizer } from "../sampler.js";
import { characterEnd } from "../whole-characters.js";
import type { ReMemR1Config } from "./config.js";
import { retrieveMemory, tokenTerms } from "./retriever.js";

type LookBack = NonNullable<ReMemR1Config["lookBack"]>;

/** A text that was found, or kept. */
export interface Memory {
  readonly text: string;
  readonly tokenIds: readonly number[];
}

/** What a query searches. */
export interface RecallSource {
  /** Takes a section that was read. */
  read(section: Chunk): void;
  /** Takes a memory that was written. */
  wrote(memory: EarlierMemory): void;
  /** @param present the memories that the agent has now */
  find(query: string, present: readonly string[]): Memory | null;
  /** Finds the section to read again. */
  section(query: string): Chunk | null;
  readonly counts: { readonly recalled_tokens?: number; readonly forgotten_passages?: number };
  readonly state: Pick<EpisodeState, "history">;
}

/** Creates the source that the settings name. */
export function recallSource(
  tokenizer: Tokenizer,
  config: ReMemR1Config,
  from: EpisodeState | undefined,
): RecallSource {
  return config.lookBack === undefined
    ? new EarlierMemories(tokenizer, config, from)
    : new ReadSections(tokenizer, config.lookBack, config.memoryTokens, from);
}

/** The memories of the episode that were overwritten. */
class EarlierMemories implements RecallSource {
  readonly counts = {};
  readonly #config: ReMemR1Config;
  readonly #terms: (text: string) => readonly string[];
  readonly #history: EarlierMemory[];

  constructor(tokenizer: Tokenizer, config: ReMemR1Config, from: EpisodeState | undefined) {
    this.#config = config;
    this.#terms = tokenTerms(tokenizer);
    this.#history = [...(from?.history ?? [])];
  }

  get state() {
    return { history: [...this.#history] };
  }

  read(): void {}

  section(): null {
    return null;
  }

  wrote(memory: EarlierMemory): void {
    // A memory that stays is already in the history, or it is the initial memory, which contains nothing.
    if (!this.#history.some(({ text }) => text === memory.text)) this.#history.push(memory);
  }

  find(query: string, present: readonly string[]): Memory | null {
    const { recallOrder, similarityFloor, memoryOf } = this.#config;
    // The original's code searches all memories from before this reply, even if one equals the reply.
    const earlier =
      memoryOf === "reply" || recallOrder === "after"
        ? this.#history
        : this.#history.filter(({ text }) => !present.includes(text));
    const texts = earlier.map(({ text }) => text);
    const { index } = retrieveMemory(texts, query, { tokens: this.#terms, floor: similarityFloor });
    return index === null ? null : (earlier[index] as EarlierMemory);
  }
}

interface Passage extends Memory {
  readonly section: Chunk;
  readonly bytes: number;
}

/** The sections that were read, in passages. */
class ReadSections implements RecallSource {
  readonly state = {};
  readonly #tokenizer: Tokenizer;
  readonly #settings: LookBack;
  readonly #passageTokens: number;
  readonly #passages: Passage[] = [];
  #bytes = 0;
  #index: Bm25Index | undefined;
  #tokens: number;
  #forgotten = 0;

  constructor(
    tokenizer: Tokenizer,
    settings: LookBack,
    memoryTokens: number,
    from: EpisodeState | undefined,
  ) {
    this.#tokenizer = tokenizer;
    this.#settings = settings;
    this.#passageTokens = Math.floor(memoryTokens / settings.passages);
    this.#tokens = from?.counters?.["recalled_tokens"] ?? 0;
  }

  get counts() {
    return { recalled_tokens: this.#tokens, forgotten_passages: this.#forgotten };
  }

  wrote(): void {}

  read(section: Chunk): void {
    const { tokenIds } = section;
    for (let from = 0; from < tokenIds.length; ) {
      const most = Math.min(from + this.#passageTokens, tokenIds.length);
      const to = most === tokenIds.length ? most : characterEnd(this.#tokenizer, tokenIds, most, from);
      const ids = tokenIds.slice(from, to);
      const text = this.#tokenizer.decode(ids);
      // Two bytes for each unit of UTF-16, and eight for each id, here and in its section.
      const bytes = 2 * text.length + 16 * ids.length;
      this.#passages.push({ text, tokenIds: ids, section, bytes });
      this.#bytes += bytes;
      from = to;
    }
    while (this.#bytes > this.#settings.bytes && this.#passages.length > 1) {
      this.#bytes -= this.#passages.shift()?.bytes ?? 0;
      this.#forgotten += 1;
    }
    this.#index = undefined;
  }

  find(query: string): Memory | null {
    const found = this.#search(query, this.#settings.passages);
    if (found.length === 0) return null;
    const memory = {
      text: found.map(({ text }) => text).join(""),
      tokenIds: found.flatMap(({ tokenIds }) => tokenIds),
    };
    this.#tokens += memory.tokenIds.length;
    return memory;
  }

  section(query: string): Chunk | null {
    return this.#search(query, 1)[0]?.section ?? null;
  }

  /** Returns the best passages in the order of the document. */
  #search(query: string, most: number): readonly Passage[] {
    this.#index ??= Bm25Index.of(this.#passages.map(({ text }) => text));
    const places = this.#index.search(query, most).map(({ index }) => index);
    return places.sort((a, b) => a - b).map((place) => this.#passages[place] as Passage);
  }
}
