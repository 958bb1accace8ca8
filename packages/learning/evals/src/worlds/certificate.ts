import { createHash } from "node:crypto";
import {
  type Difficulty,
  difficultyOf,
  type WorldCase,
  type WorldSplit,
  worldByName,
  worldConfigSchema,
} from "@palimpsest/datasets";
import type { Embedder } from "@palimpsest/memory";
import { delay } from "@palimpsest/std";
import { checkKind, checkParts, parseInput } from "@palimpsest/std/input";
import { EvaluationError } from "../error.js";
import { type Interval, wilsonInterval } from "../intervals.js";
import { namesOnly } from "./one-of.js";
import { bestGuess, floorNames, oracleNames, type Shortcuts, shortcuts } from "./shortcuts.js";

/** Questions below which nothing is called closed to word search. */
export const leastQuestions = 500;
/** A ceiling's upper bound may be this far above the best guess without a text. */
export const closedMargin = 0.1;

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
  /** What replaces the world's own difficulty. */
  readonly difficulty?: Partial<Record<keyof Difficulty, number | undefined>>;
  readonly embedder: Embedder;
  readonly signal?: AbortSignal;
  onProgress?(done: number): void;
}

interface Asked extends Shortcuts {
  readonly one: WorldCase;
}

/**
 * Asks the oracles and every search the questions of a world at one length.
 * @throws {EvaluationError | DatasetError} BAD_CONFIG; the signal's reason
 */
export async function certifyWorld(options: CertifyOptions): Promise<WorldCertificate> {
  checkOptions(options);
  const { world: name, length, questions, seed, split, signal } = options;
  const world = worldByName(name);
  const difficulty = difficultyOf(world, options.difficulty ?? {});
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
    asked.push({ one, ...(await shortcuts(one, sentences, options.embedder, signal)) });
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

/** Checks the numbers and names as settings of tasks, under the names that they have here. */
function checkOptions(options: CertifyOptions): void {
  const refuse = (problem: string) => new EvaluationError("BAD_CONFIG", `certifyWorld(): ${problem}`);
  checkParts(options, "options", parts, refuse);
  const { world, length, questions, seed, split, embedder, signal } = options;
  const config = { world, sentences: length, count: questions, seed, split };
  parseInput(worldConfigSchema, config, refuse, { fields: { sentences: "length", count: "questions" } });
  checkKind(embedder.embed, "embedder: embed", "a function", refuse);
  if (signal !== undefined) checkKind(signal.throwIfAborted, "signal: throwIfAborted", "a function", refuse);
}

const parts = {
  world: "a text",
  length: "a number",
  questions: "a number",
  seed: "any value",
  split: "a text",
  "difficulty?": "an object",
  embedder: "an object",
  "signal?": "an object",
  "onProgress?": "a function",
} as const;

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

function rowsOf(asked: readonly Asked[], guess: (one: WorldCase) => string): CertificateRow[] {
  const ceilings = Object.keys(asked[0]?.taken ?? {});
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
    ...oracleNames.map((name) => row(name, "oracle", ({ answers }) => answers[name])),
    row("best guess", "floor", ({ one }) => guess(one)),
    ...floorNames.map((name) => row(name, "floor", ({ answers }) => answers[name])),
    ...ceilings.map((name) => row(name, "ceiling", ({ one, answers }) => answers[name] ?? guess(one))),
  ];
}
