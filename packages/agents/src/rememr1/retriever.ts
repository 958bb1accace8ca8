import { splitWords } from "@palimpsest/memory/text";
import type { Tokenizer } from "../sampler.js";

/** A text as the terms that it is compared by. */
export type TermsOf = (text: string) => readonly string[];

export interface Retrieval {
  /** Place in the history of the memory to recall; null: none. */
  readonly index: number | null;
  /** Cosine with each memory, in [0, 1]; null where nothing could be compared. */
  readonly similarities: readonly number[] | null;
}

/** Cosines closer than this are equal: the sums differ by rounding alone. */
const tie = 1e-9;

/**
 * The memory most like a query, by TF-IDF cosine: single terms, raw counts, idf = ln((1 + n) / (1 + df)) + 1 over
 * the history, terms outside of it dropped from the query. Of equals the latest is taken.
 * Source: syr-cn/ReMemR1@43e69f3, recurrent/impls/tf_idf_retriever.py, which fits scikit-learn's TfidfVectorizer anew
 * at every call; departs: there of equals any is taken, and there is no floor.
 *
 * @param options.floor the cosine must be above it; default 0: one term in common; null: the best whatever it is
 */
export function retrieveMemory(
  history: readonly string[],
  query: string,
  options: { readonly tokens: TermsOf; readonly floor?: number | null },
): Retrieval {
  const { tokens, floor = 0 } = options;
  const nothing = { index: null, similarities: null };
  if (history.length === 0 || query === "") return nothing;
  const counts = history.map((text) => countTerms(tokens(text)));
  const idf = inverseFrequencies(counts);
  if (idf.size === 0) return nothing;
  const wanted = new Map([...countTerms(tokens(query))].filter(([term]) => idf.has(term)));
  const queryNorm = norm(wanted, idf);
  const similarities = counts.map((memory) => {
    const product = dot(wanted, memory, idf);
    return product === 0 ? 0 : product / (queryNorm * norm(memory, idf));
  });
  const best = Math.max(...similarities);
  const index = similarities.findLastIndex((similarity) => similarity >= best - tie);
  return { index: floor === null || best > floor ? index : null, similarities };
}

/** Lower-case words between white space. */
export const whitespaceTerms: TermsOf = (text) => splitWords(text.toLowerCase());

/** The policy's tokens of the lower-cased text, spaces removed; a space alone is the empty term. Remembers texts. */
export function tokenTerms(tokenizer: Tokenizer): TermsOf {
  const known = new Map<string, readonly string[]>();
  const terms = new Map<number, string>();
  const termOf = (id: number) => {
    let term = terms.get(id);
    if (term === undefined) {
      const text = tokenizer.decode([id]);
      // Bytes that are no character by themselves would all look alike.
      term = text.includes("\u{fffd}") ? `#${id}` : text.replaceAll(" ", "");
      terms.set(id, term);
    }
    return term;
  };
  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      // Memories may hold special tokens that the model itself wrote: they are terms like others.
      found = tokenizer.encode(text.toLowerCase()).map(termOf);
      known.set(text, found);
    }
    return found;
  };
}

type Counts = ReadonlyMap<string, number>;

function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function inverseFrequencies(documents: readonly Counts[]): Map<string, number> {
  const holding = new Map<string, number>();
  for (const counts of documents)
    for (const term of counts.keys()) holding.set(term, (holding.get(term) ?? 0) + 1);
  return new Map(
    [...holding].map(([term, count]) => [term, Math.log((1 + documents.length) / (1 + count)) + 1]),
  );
}

function dot(left: Counts, right: Counts, idf: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [term, count] of left) {
    const other = right.get(term);
    if (other !== undefined) sum += count * other * (idf.get(term) ?? 0) ** 2;
  }
  return sum;
}

function norm(counts: Counts, idf: ReadonlyMap<string, number>): number {
  let squares = 0;
  for (const [term, count] of counts) squares += (count * (idf.get(term) ?? 0)) ** 2;
  return Math.sqrt(squares);
}
