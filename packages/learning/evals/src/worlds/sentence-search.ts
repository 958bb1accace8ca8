import { Bm25Index, DenseIndex, type Embedder, type Hit, queryTerms } from "@palimpsest/memory";
import { words } from "@palimpsest/memory/text";

interface Counted {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

const scoring = Bm25Index.of([]);
/** Words of sentences that were counted, which repeat from text to text; bounded. */
const known = new Map<string, Counted>();
const mostKnown = 200_000;

function counted(text: string): Counted {
  const before = known.get(text);
  if (before !== undefined) return before;
  const counts = new Map<string, number>();
  const found = words(text);
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  if (known.size >= mostKnown) known.clear();
  const now = { counts, length: found.length };
  known.set(text, now);
  return now;
}

/**
 * Searches the sentences of one text. Equal sentences are kept once, with the places at which they stand, so that a
 * text of millions of sentences takes four bytes each. Of sentences that match alike the last one in the text is
 * found first, since what is newer is more often right.
 */
export class SentenceSearch {
  /** Number of sentences. */
  readonly size: number;
  readonly texts: readonly string[];
  /** The index in `texts` of each sentence. */
  readonly #textAt: Uint32Array;
  /** Places of each text, ascending. */
  readonly #placesOf: readonly (readonly number[])[];
  readonly #totalWords: number;
  readonly #textsWith = new Map<string, number[]>();
  #dense: DenseIndex | undefined;

  constructor(sentences: readonly string[]) {
    const indexOf = new Map<string, number>();
    const placesOf: number[][] = [];
    this.size = sentences.length;
    this.#textAt = Uint32Array.from(sentences, (text, place) => {
      const index = indexOf.get(text) ?? indexOf.size;
      if (index === indexOf.size) {
        indexOf.set(text, index);
        placesOf.push([]);
      }
      placesOf[index]?.push(place);
      return index;
    });
    this.texts = [...indexOf.keys()];
    this.#placesOf = placesOf;
    let totalWords = 0;
    for (const [index, text] of this.texts.entries()) {
      const { counts, length } = counted(text);
      totalWords += length * (placesOf[index]?.length ?? 0);
      for (const word of counts.keys()) {
        const having = this.#textsWith.get(word);
        if (having === undefined) this.#textsWith.set(word, [index]);
        else having.push(index);
      }
    }
    this.#totalWords = totalWords;
  }

  /** Returns the index in `texts` of the sentence at a place. */
  indexAt(place: number): number {
    return this.#textAt[place] ?? 0;
  }

  textAt(place: number): string {
    return this.texts[this.indexAt(place)] ?? "";
  }

  /**
   * Returns the places of the best sentences by BM25 (k1 1.2, b 0.75), the best first.
   * @param without places that are passed over
   */
  byWords(query: string, topK: number, without: ReadonlySet<number> = new Set()): number[] {
    const frequency = (word: string) =>
      (this.#textsWith.get(word) ?? []).reduce((sum, index) => sum + (this.#placesOf[index]?.length ?? 0), 0);
    const terms = queryTerms(query, frequency, this.size);
    const collection = { size: this.size, totalWords: this.#totalWords };
    const matching = new Set(terms.flatMap(({ term }) => this.#textsWith.get(term) ?? []));
    const hits = Array.from(matching, (index) => {
      const { counts, length } = counted(this.texts[index] ?? "");
      return { index, score: scoring.scoreOf(counts, length, terms, collection) };
    });
    return this.#placesOfHits(hits, topK, without);
  }

  /** Returns the places of the best sentences by the embedder's cosine, the best first. */
  async byMeaning(query: string, topK: number, embedder: Embedder, signal?: AbortSignal): Promise<number[]> {
    this.#dense ??= await DenseIndex.of(this.texts, embedder, signal);
    return this.#placesOfHits(await this.#dense.search(query, topK, signal), topK, new Set());
  }

  /** Expands the best texts to their places, until there are enough. Between texts of one score the later place comes first. */
  #placesOfHits(hits: readonly Hit[], topK: number, without: ReadonlySet<number>): number[] {
    const best = [...hits].sort((a, b) => b.score - a.score);
    const found: number[] = [];
    for (let from = 0; from < best.length && found.length < topK; ) {
      const { score } = best[from] as Hit;
      let to = from;
      const places: number[] = [];
      for (; best[to]?.score === score; to++) {
        const its = this.#placesOf[best[to]?.index ?? 0] ?? [];
        // Of one text no more than these can be taken.
        places.push(...its.slice(-topK - without.size).filter((place) => !without.has(place)));
      }
      found.push(...places.sort((a, b) => b - a));
      from = to;
    }
    return found.slice(0, topK);
  }
}
