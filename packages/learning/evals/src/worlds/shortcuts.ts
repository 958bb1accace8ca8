import type { WorldCase, WorldSentence } from "@palimpsest/datasets";
import type { Embedder } from "@palimpsest/memory";
import { labelFinder } from "./one-of.js";
import { SentenceSearch } from "./sentence-search.js";

/** Sentences that a search may take. */
const budget = 60;

/** What oracles, and searches and tricks in place of reading, answer to one question, by name. */
export interface Shortcuts {
  /** `undefined` where nothing determines an answer. */
  readonly answers: Readonly<Record<string, string | undefined>>;
  /** Sentences that each search took. */
  readonly taken: Readonly<Record<string, number>>;
  /** Sentences that the second oracle's answer rests on. */
  readonly evidence: number;
}

/** Exact answers from all sentences. */
export const oracleNames = ["oracle, forward", "oracle, backward"];
/** Answers without a reader. */
export const floorNames = ["newest mention", "most frequent mention", "every candidate"];

/** Answers a question by every shortcut. Searches hand what they found to the first oracle. */
export async function shortcuts(
  one: WorldCase,
  sentences: readonly WorldSentence[],
  embedder: Embedder,
  signal?: AbortSignal,
): Promise<Shortcuts> {
  const { length } = sentences;
  const events = sentences.map(({ event }) => event);
  const search = new SentenceSearch(sentences.map(({ text }) => text));
  const traced = one.trace(events);
  const byWords = search.byWords(one.question, 50);
  const near = byWords.slice(0, 12).flatMap((place) => [-2, -1, 0, 1, 2].map((step) => place + step));
  const byMeaning = await search.byMeaning(one.question, 50, embedder, signal);
  const first = Array.from({ length: budget }, (_, at) => at);
  const newest = first.map((at) => length - 1 - at);
  const found: Readonly<Record<string, readonly number[]>> = {
    "BM25, 5": byWords.slice(0, 5),
    "BM25, 10": byWords.slice(0, 10),
    "BM25, 50": byWords,
    "BM25, 12 and what stands around them": near,
    "BM25, three rounds of 20": rounds(one, search),
    "embedding, 50": byMeaning,
    "the first 60": first,
    "the newest 60": newest,
    "BM25, embedding and the newest, 20 each": [
      ...byWords.slice(0, 20),
      ...byMeaning.slice(0, 20),
      ...newest.slice(0, 20),
    ],
  };
  const answers: Record<string, string | undefined> = {
    "oracle, forward": one.follow(events),
    "oracle, backward": traced.answer,
    ...mentions(one, search),
    "every candidate": one.candidates.join(", "),
    // Readers that keep what came first, or last.
    "the first tenth": one.follow(events.slice(0, Math.ceil(length / 10))),
    "the newest tenth": one.follow(events.slice(-Math.ceil(length / 10))),
  };
  const taken: Record<string, number> = {};
  for (const [name, places] of Object.entries(found)) {
    const kept = [...new Set(places)].filter((place) => place >= 0 && place < length).sort((a, b) => a - b);
    taken[name] = kept.length;
    answers[name] = one.follow(kept.map((place) => events[place] as (typeof events)[number]));
  }
  return { answers, taken, evidence: traced.evidence.length };
}

/** Searches three times, each time for the question and for the labels that were found before. */
function rounds(one: WorldCase, search: SentenceSearch): number[] {
  const names = labelFinder([...one.candidates, ...one.asked]);
  const found = new Set<number>();
  let query = one.question;
  for (let round = 0; round < 3; round++) {
    for (const place of search.byWords(query, budget / 3, found)) found.add(place);
    const texts = [...found].map((place) => search.textAt(place));
    query = [one.question, ...new Set(texts.flatMap((text) => otherNames(text, names)))].join(" ");
  }
  return [...found];
}

/** Returns the names in a sentence: labels, and words that begin with a capital letter within it. */
function otherNames(text: string, labels: (text: string) => string[]): string[] {
  return [...labels(text), ...(text.match(/(?<!^)\b\p{Lu}\p{L}+/gu) ?? [])];
}

/**
 * Returns the candidate that a sentence named last, and the one that was named most often: beside what the question
 * asks about, or, if there is none, anywhere.
 */
function mentions(one: WorldCase, search: SentenceSearch): Record<string, string | undefined> {
  const find = labelFinder(one.candidates.filter((label) => !one.asked.includes(label)));
  const about = labelFinder(one.asked);
  const labels = search.texts.map((text) => find(text));
  const beside = search.texts.map((text) => about(text).length > 0);
  const counts = { beside: new Map<string, number>(), anywhere: new Map<string, number>() };
  const last: { beside?: string | undefined; anywhere?: string | undefined } = {};
  for (let place = 0; place < search.size; place++) {
    const index = search.indexAt(place);
    for (const label of labels[index] ?? []) {
      last.anywhere = label;
      counts.anywhere.set(label, (counts.anywhere.get(label) ?? 0) + 1);
      if (!beside[index]) continue;
      last.beside = label;
      counts.beside.set(label, (counts.beside.get(label) ?? 0) + 1);
    }
  }
  const most = (of: ReadonlyMap<string, number>) => [...of].sort((a, b) => b[1] - a[1])[0]?.[0];
  return {
    "newest mention": last.beside ?? last.anywhere,
    "most frequent mention": most(counts.beside) ?? most(counts.anywhere),
  };
}

/** Guesses without a text: the answer that is right most often, or some candidate, whichever is right more often. */
export function bestGuess(cases: readonly WorldCase[]): (one: WorldCase) => string {
  const counts = new Map<string, number>();
  for (const { answer } of cases) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  const [constant = "", times = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  // The candidates are in an order that has nothing to do with the answer.
  const some = (one: WorldCase) => one.candidates[0] ?? "";
  const byChance = cases.filter((one) => some(one) === one.answer).length;
  return byChance > times ? some : () => constant;
}
