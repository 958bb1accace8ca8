import { createHash } from "node:crypto";
import { type Difficulty, type WorldCase, type WorldSplit, worldByName } from "@palimpsest/datasets";
import type { Embedder } from "@palimpsest/memory";
import { delay } from "@palimpsest/std";
import { type Interval, wilsonInterval } from "../intervals.js";
import { labelFinder, namesOnly } from "./one-of.js";
import { SentenceSearch } from "./sentence-search.js";

/** Questions below which nothing is called closed to word search. */
export const leastQuestions = 500;
/** A ceiling's upper bound may be this far above the best guess without a text. */
const closedMargin = 0.1;
/** Sentences that a search may take: 60, or a tenth of the text. */
const budget = 60;

/** One way to answer without reading the whole text, or an oracle that reads it. */
export interface CertificateRow {
  readonly name: string;
  /**
   * oracle: exact, from all sentences. floor: without a reader. ceiling: the oracle's answer from nothing but the
   * sentences that a search found, and the best guess where these determine none: no reader of them does better.
   */
  readonly kind: "oracle" | "floor" | "ceiling";
  readonly share: number;
  readonly interval: Interval;
  /** Shares by the kind of the right answer, where a world balances them. */
  readonly byKind: Readonly<Record<string, { readonly n: number; readonly share: number }>>;
  /** Mean number of sentences that were taken; absent for floors. */
  readonly sentences?: number;
}

/** What is certain about a world at one length. */
export interface WorldCertificate {
  readonly world: string;
  readonly split: WorldSplit;
  readonly seed: number | string;
  readonly difficulty: Difficulty;
  /** Length of the texts in sentences. */
  readonly length: number;
  readonly questions: number;
  /** SHA-256 of all texts, questions and answers. */
  readonly sha256: string;
  readonly meanCharacters: number;
  /** Mean number of sentences that the second oracle's answer rests on. */
  readonly evidence: number;
  readonly rows: readonly CertificateRow[];
  /**
   * closed: every ceiling's upper 95 % bound is at most 10 points above the best guess, and both oracles are always
   * right. open: some ceiling is higher. uncertain: there are fewer than 500 questions, or an oracle is wrong.
   */
  readonly verdict: "closed" | "open" | "uncertain";
  /** The ceiling with the highest upper bound. */
  readonly highest: string;
}

/** What `certifyWorld` needs. */
export interface CertifyOptions {
  readonly world: string;
  readonly length: number;
  readonly questions: number;
  readonly seed: number | string;
  readonly split: WorldSplit;
  readonly difficulty: Difficulty;
  readonly embedder: Embedder;
  readonly signal?: AbortSignal;
  onProgress?(done: number): void;
}

/** What one question gave: the answer of each row by its name. */
interface Asked {
  readonly one: WorldCase;
  readonly answers: Readonly<Record<string, string | undefined>>;
  readonly taken: Readonly<Record<string, number>>;
  readonly evidence: number;
}

/**
 * Asks the oracles and every search the questions of a world at one length.
 * @throws {DatasetError} BAD_CONFIG; the signal's reason
 */
export async function certifyWorld(options: CertifyOptions): Promise<WorldCertificate> {
  const { world: name, length, questions, seed, split, difficulty, signal } = options;
  const world = worldByName(name);
  const hash = createHash("sha256");
  const asked: Asked[] = [];
  let characters = 0;
  for (let index = 0; index < questions; index++) {
    signal?.throwIfAborted();
    const one = world.open({ ...difficulty, seed, split, index, length });
    const sentences = [...one.sentences()];
    for (const { text } of sentences) {
      characters += text.length + 1;
      hash.update(`${text}\n`);
    }
    hash.update(`${one.question}\n${one.answer}\n`);
    asked.push(await askAll(one, sentences, options));
    options.onProgress?.(index + 1);
    // A signal and the progress line need turns of the event loop.
    await delay(0);
  }
  const guess = bestGuess(asked.map(({ one }) => one));
  const rows = rowsOf(asked, guess);
  const ceilings = rows.filter(({ kind }) => kind === "ceiling");
  const highest = ceilings.reduce((a, b) => (b.interval.high > a.interval.high ? b : a));
  const prior = rows.find((row) => row.name === "best guess")?.share ?? 0;
  const certain =
    questions >= leastQuestions && rows.every((row) => row.kind !== "oracle" || row.share === 1);
  const closed = highest.interval.high <= prior + closedMargin;
  return {
    world: name,
    split,
    seed,
    difficulty,
    length,
    questions,
    sha256: hash.digest("hex"),
    meanCharacters: Math.round(characters / questions),
    evidence: mean(asked.map(({ evidence }) => evidence)),
    rows,
    verdict: certain ? (closed ? "closed" : "open") : "uncertain",
    highest: highest.name,
  };
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const oracles = ["oracle, forward", "oracle, backward"];

async function askAll(
  one: WorldCase,
  sentences: readonly { readonly text: string; readonly event: { readonly kind: string } }[],
  { embedder, signal, length }: CertifyOptions,
): Promise<Asked> {
  const events = sentences.map(({ event }) => event);
  const search = new SentenceSearch(sentences.map(({ text }) => text));
  const traced = one.trace(events);
  const byWords = search.byWords(one.question, 50);
  const near = byWords.slice(0, 12).flatMap((place) => [-2, -1, 0, 1, 2].map((step) => place + step));
  const byMeaning = await search.byMeaning(one.question, 50, embedder, signal);
  const newest = Array.from({ length: Math.min(20, length) }, (_, at) => length - 1 - at);
  const found: Readonly<Record<string, readonly number[]>> = {
    "BM25, 5": byWords.slice(0, 5),
    "BM25, 10": byWords.slice(0, 10),
    "BM25, 50": byWords,
    "BM25, 12 and what stands around them": near,
    "BM25, three rounds of 20": rounds(one, search),
    "embedding, 50": byMeaning,
    "BM25, embedding and the newest, 20 each": [
      ...byWords.slice(0, 20),
      ...byMeaning.slice(0, 20),
      ...newest,
    ],
  };
  const answers: Record<string, string | undefined> = {
    "oracle, forward": one.follow(events),
    "oracle, backward": traced.answer,
    ...mentions(one, search),
    "every candidate": one.candidates.join(", "),
  };
  const taken: Record<string, number> = {};
  for (const [name, places] of Object.entries(found)) {
    const kept = [...new Set(places)].filter((place) => place >= 0 && place < length).sort((a, b) => a - b);
    taken[name] = kept.length;
    answers[name] = one.follow(kept.map((place) => events[place] as (typeof events)[number]));
  }
  return { one, answers, taken, evidence: traced.evidence.length };
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
  const indexOf = new Map(search.texts.map((text, index) => [text, index]));
  const counts = { beside: new Map<string, number>(), anywhere: new Map<string, number>() };
  const last: { beside?: string | undefined; anywhere?: string | undefined } = {};
  for (let place = 0; place < search.size; place++) {
    const index = indexOf.get(search.textAt(place)) ?? 0;
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
function bestGuess(cases: readonly WorldCase[]): (one: WorldCase) => string {
  const counts = new Map<string, number>();
  for (const { answer } of cases) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  const [constant = "", times = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  // The candidates are in an order that has nothing to do with the answer.
  const some = (one: WorldCase) => one.candidates[0] ?? "";
  const byChance = cases.filter((one) => some(one) === one.answer).length;
  return byChance > times ? some : () => constant;
}

function rowsOf(asked: readonly Asked[], guess: (one: WorldCase) => string): CertificateRow[] {
  const ceilings = Object.keys(asked[0]?.taken ?? {});
  const floors = ["newest mention", "most frequent mention", "every candidate"];
  const row = (
    name: string,
    kind: CertificateRow["kind"],
    answerOf: (one: Asked) => string | undefined,
  ): CertificateRow => {
    const right = asked.map((one) => namesOnly(answerOf(one) ?? "", one.one));
    const times = right.filter(Boolean).length;
    const kinds = [...new Set(asked.map(({ one }) => one.kind))].sort();
    const byKind = kinds.map((of) => {
      const its = right.filter((_right, at) => asked[at]?.one.kind === of);
      return [of, { n: its.length, share: its.filter(Boolean).length / its.length }] as const;
    });
    return {
      name,
      kind,
      share: times / asked.length,
      interval: wilsonInterval(times, asked.length),
      byKind: kinds.length > 1 ? Object.fromEntries(byKind) : {},
      ...(kind === "ceiling" ? { sentences: mean(asked.map(({ taken }) => taken[name] ?? 0)) } : {}),
    };
  };
  return [
    ...oracles.map((name) => row(name, "oracle", ({ answers }) => answers[name])),
    row("best guess", "floor", ({ one }) => guess(one)),
    ...floors.map((name) => row(name, "floor", ({ answers }) => answers[name])),
    ...ceilings.map((name) => row(name, "ceiling", ({ one, answers }) => answers[name] ?? guess(one))),
  ];
}
