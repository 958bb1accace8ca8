import { z } from "zod";
import { count, refuseUnfit, texts as textList } from "./refuse-unfit.js";
import { words } from "./text/words.js";
import { type Hit, TopK } from "./top-k.js";

export interface Bm25Options {
  /** How fast repeated occurrences of a word stop counting. Default 1.2. */
  readonly k1?: number;
  /** How strongly long texts are penalized, from 0 to 1. Default 0.75. */
  readonly b?: number;
}

const optionsSchema = z.strictObject({
  k1: z.number().min(0).optional(),
  b: z.number().min(0).max(1).optional(),
});

/** What scoring needs to know of the whole collection, of which an index may be a part. */
export interface CollectionStatistics {
  readonly size: number;
  /** Number of words in all texts together. */
  readonly totalWords: number;
}

/** A word of a query with its weight. */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/**
 * Okapi BM25 over a fixed list of texts, as postings in typed arrays. It is immutable. It is our own because a store
 * scores a frozen base and the changes over it as one collection: document frequencies and lengths must be supplied
 * from outside, which the available libraries do not support.
 */
export class Bm25Index {
  readonly size: number;
  readonly totalWords: number;
  readonly #k1: number;
  readonly #b: number;
  readonly #terms: ReadonlyMap<string, number>;
  /** The postings of term t are at #starts[t] … #starts[t + 1]. */
  readonly #starts: Uint32Array;
  readonly #texts: Uint32Array;
  readonly #counts: Uint16Array;
  readonly #lengths: Uint32Array;

  private constructor(built: Built, options: Bm25Options) {
    this.size = built.lengths.length;
    this.totalWords = built.totalWords;
    this.#k1 = options.k1 ?? 1.2;
    this.#b = options.b ?? 0.75;
    this.#terms = built.terms;
    this.#starts = built.starts;
    this.#texts = built.texts;
    this.#counts = built.counts;
    this.#lengths = built.lengths;
  }

  /** @throws {MemoryError} BAD_INPUT */
  static of(texts: readonly string[], options: Bm25Options = {}): Bm25Index {
    refuseUnfit(textList, texts, "texts of Bm25Index.of()");
    refuseUnfit(optionsSchema, options, "options of Bm25Index.of()");
    return new Bm25Index(build(texts), options);
  }

  /**
   * Returns the best hits first. Texts without any of the query's words are left out.
   * @throws {MemoryError} BAD_INPUT
   */
  search(query: string, topK: number): Hit[] {
    refuseUnfit(z.string(), query, "query");
    refuseUnfit(count, topK, "topK");
    const scores = new Float64Array(this.size);
    const terms = queryTerms(query, (term) => this.documentFrequency(term), this.size);
    this.scoreInto(scores, terms, this);
    const best = new TopK(topK);
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i] ?? 0;
      if (score > 0) best.offer(score, i);
    }
    return best.hits();
  }

  /** Returns the number of texts that contain the word. */
  documentFrequency(term: string): number {
    const id = this.#terms.get(term);
    return id === undefined ? 0 : (this.#starts[id + 1] ?? 0) - (this.#starts[id] ?? 0);
  }

  /** Returns the number of words of one text, including repetitions. */
  lengthOf(index: number): number {
    return this.#lengths[index] ?? 0;
  }

  /** Adds every text's score to `into`. */
  scoreInto(into: Float64Array, terms: readonly WeightedTerm[], collection: CollectionStatistics): void {
    const perWord = collection.totalWords === 0 ? 0 : (this.#b * collection.size) / collection.totalWords;
    const k1 = this.#k1;
    const texts = this.#texts;
    const counts = this.#counts;
    const lengths = this.#lengths;
    for (const { term, weight } of terms) {
      const id = this.#terms.get(term);
      if (id === undefined) continue;
      const end = this.#starts[id + 1] ?? 0;
      for (let at = this.#starts[id] ?? 0; at < end; at++) {
        const text = texts[at] as number;
        const count = counts[at] as number;
        const held = k1 * (1 - this.#b + perWord * (lengths[text] as number));
        into[text] = (into[text] as number) + (weight * count * (k1 + 1)) / (count + held);
      }
    }
  }

  /** Returns the score of a text that is not in the index, in the same collection. */
  scoreOf(
    counts: ReadonlyMap<string, number>,
    length: number,
    terms: readonly WeightedTerm[],
    collection: CollectionStatistics,
  ): number {
    const perWord = collection.totalWords === 0 ? 0 : (this.#b * collection.size) / collection.totalWords;
    const held = this.#k1 * (1 - this.#b + perWord * length);
    let score = 0;
    for (const { term, weight } of terms) {
      const count = counts.get(term) ?? 0;
      if (count > 0) score += (weight * count * (this.#k1 + 1)) / (count + held);
    }
    return score;
  }
}

/**
 * Returns the distinct words of the query with weights ln(1 + (n − df + 0.5) / (df + 0.5)): rare words weigh more, and
 * no weight is negative.
 * @param documentFrequency returns the number of texts of the collection that contain a word
 * @param size number of texts in the collection
 */
export function queryTerms(
  query: string,
  documentFrequency: (term: string) => number,
  size: number,
): WeightedTerm[] {
  return [...new Set(words(query))].map((term) => {
    const frequency = documentFrequency(term);
    return { term, weight: Math.log(1 + (size - frequency + 0.5) / (frequency + 0.5)) };
  });
}

interface Built {
  readonly terms: ReadonlyMap<string, number>;
  readonly starts: Uint32Array;
  readonly texts: Uint32Array;
  readonly counts: Uint16Array;
  readonly lengths: Uint32Array;
  readonly totalWords: number;
}

/** Builds the postings in two passes: in the order of the texts, then with a counting sort by term. */
function build(texts: readonly string[]): Built {
  const terms = new Map<string, number>();
  const postings: { terms: number[]; counts: number[]; ends: number[] } = { terms: [], counts: [], ends: [] };
  const lengths = new Uint32Array(texts.length);
  const frequencies: number[] = [];
  let totalWords = 0;
  texts.forEach((text, i) => {
    const found = words(text);
    lengths[i] = found.length;
    totalWords += found.length;
    const counts = new Map<number, number>();
    for (const word of found) {
      const id = terms.get(word) ?? terms.size;
      if (id === terms.size) terms.set(word, id);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    for (const [id, count] of counts) {
      postings.terms.push(id);
      postings.counts.push(Math.min(count, 0xffff));
      frequencies[id] = (frequencies[id] ?? 0) + 1;
    }
    postings.ends.push(postings.terms.length);
  });
  const starts = new Uint32Array(terms.size + 1);
  for (let id = 0; id < terms.size; id++) starts[id + 1] = (starts[id] ?? 0) + (frequencies[id] ?? 0);
  const next = starts.slice();
  const sorted = {
    texts: new Uint32Array(postings.terms.length),
    counts: new Uint16Array(postings.terms.length),
  };
  let at = 0;
  postings.ends.forEach((end, text) => {
    for (; at < end; at++) {
      const id = postings.terms[at] as number;
      const place = next[id] as number;
      next[id] = place + 1;
      sorted.texts[place] = text;
      sorted.counts[place] = postings.counts[at] as number;
    }
  });
  return { terms, starts, ...sorted, lengths, totalWords };
}
