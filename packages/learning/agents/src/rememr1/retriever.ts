import { splitWords } from "@palimpsest/memory/text";
import type { Tokenizer } from "../sampler.js";

/** Splits a text into the terms by which it is compared. */
export type TermsOf = (text: string) => readonly string[];

/** Which earlier memory a query recalls, and how similar each was. */
export interface Retrieval {
  /** Index in the history of the memory to recall; null if none is recalled. */
  readonly index: number | null;
  /** Cosine with each memory, in [0, 1]; null if there was nothing to compare. */
  readonly similarities: readonly number[] | null;
}

/** Cosines closer than this are equal, because their sums differ by rounding alone. */
const tie = 1e-9;

/**
 * Finds the memory that is most similar to a query by TF-IDF cosine, with single terms, raw counts, and
 * idf = ln((1 + n) / (1 + df)) + 1 over the history. Terms that are not in the history are dropped from the query. Of
 * equally similar memories the latest is taken.
 * Source: syr-cn/ReMemR1@43e69f3, recurrent/impls/tf_idf_retriever.py, which fits scikit-learn's TfidfVectorizer anew
 * at every call. It departs from the source in two points: there any of equally similar memories is taken, and there
 * is no floor.
 *
 * @param options.floor the cosine must be above it. Default 0, which requires a term in common; null recalls the best
 *   memory, however similar it is
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

/** Splits a text into lower-case words at white space. */
export const whitespaceTerms: TermsOf = (text) => splitWords(text.toLowerCase());

/**
 * Splits a lower-cased text into the policy's tokens without their spaces; a token of spaces alone is the empty term.
 * The terms of each text are cached.
 */
export function tokenTerms(tokenizer: Tokenizer): TermsOf {
  const known = new Map<string, readonly string[]>();
  const terms = new Map<number, string>();
  const termOf = (id: number) => {
    let term = terms.get(id);
    if (term === undefined) {
      const text = tokenizer.decode([id]);
      // Tokens that are incomplete UTF-8 would all decode to the same text, so their ids distinguish them.
      term = text.includes("\u{fffd}") ? `#${id}` : text.replaceAll(" ", "");
      terms.set(id, term);
    }
    return term;
  };
  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      // Memories may contain special tokens that the model itself wrote; they are encoded as such, and become terms.
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
