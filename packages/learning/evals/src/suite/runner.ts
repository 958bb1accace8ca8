/**
 * Responsibility: asks every system every item of a suite, scores the answers and stores them.
 * Not responsible for: building items, summaries, or writing reports.
 *
 * Invariants:
 * - SUITE-1. An item that fails counts as wrong, with its reason, and stays in the denominator; an empty answer is
 *   wrong.
 * - SUITE-2. An abort stops everything and is thrown; it is never counted as a failure.
 * - SUITE-3. At most `concurrency` items are in progress; systems run one after another.
 * - SUITE-4. What is in the cache is not run again; what failed is.
 * - SUITE-5. An item's seed depends on the run's seed and on the item, and not on timing, system or order.
 * - SUITE-6. Only transient failures are retried, at most `maxAttempts` times in total, after waits that double.
 */

import { callSeed } from "@palimpsest/agents";
import { inLanes } from "@palimpsest/std";
import { checkKind } from "@palimpsest/std/input";
import { EvaluationError } from "../error.js";
import { fingerprint } from "./fingerprint.js";
import { type EvalItem, itemFingerprint } from "./item.js";
import type { KeptPrediction, PredictionCache } from "./prediction-cache.js";
import { type RetryRules, withRetries } from "./retry.js";
import type { Scorer } from "./scorer.js";
import { SharedClock } from "./shared-clock.js";
import type { Prediction, System } from "./system.js";

/** The result of one item with one system. */
export interface ItemOutcome {
  readonly itemId: string;
  readonly group: string | number;
  /** Every metric of the scorer; all 0 when the item failed. */
  readonly scores: Readonly<Record<string, number>>;
  /** Absent when the item failed. */
  readonly prediction?: Prediction;
  /** Why the item failed, after its last attempt. */
  readonly failure?: string;
  /** Seconds from question to answer. */
  readonly seconds: number;
  /** The item's part of the wall-clock time. Its sum over all items is the time that the system took. */
  readonly busySeconds: number;
  readonly attempts: number;
  /** True when it came from the cache. */
  readonly resumed: boolean;
}

/** The outcomes of one system, in the order of the items. */
export interface SystemRun {
  readonly system: string;
  /** One outcome for each item, in the order of the items. */
  readonly outcomes: readonly ItemOutcome[];
}

/** The outcomes of all systems on the same items. */
export interface SuiteRun {
  readonly suite: string;
  readonly seed: number;
  readonly scorer: Scorer;
  readonly items: readonly EvalItem[];
  readonly systems: readonly SystemRun[];
}

/** How far an evaluation is, in items. */
export interface SuiteProgress {
  readonly system: string;
  readonly systemsDone: number;
  readonly systemsTotal: number;
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  /** How many of `done` came from the cache. */
  readonly resumed: number;
  /** Mean of the scorer's first metric so far; 0 before the first item. */
  readonly score: number;
}

/** Which systems answer which items, how they are scored, and what is kept. */
export interface SuiteOptions {
  readonly suite: string;
  readonly items: readonly EvalItem[];
  readonly systems: readonly System[];
  readonly scorer: Scorer;
  /** The cache from which finished items are read and to which they are written. Default: nothing is kept. */
  readonly cache?: PredictionCache;
  /** Number of concurrent items, ≥ 1. Default 16. */
  readonly concurrency?: number;
  readonly seed?: number;
  readonly retry?: Partial<RetryRules>;
  readonly signal?: AbortSignal;
  /** Called at the beginning of each system and after every item. */
  readonly onProgress?: (progress: SuiteProgress) => void;
  /** Called, and awaited, for every item that a system was asked, but not for those from the cache. */
  readonly onOutcome?: (system: string, item: EvalItem, outcome: ItemOutcome) => void | Promise<void>;
  /** Returns milliseconds; tests replace it. */
  readonly now?: () => number;
}

/**
 * Runs every item on every system, one system after another.
 * @throws {EvaluationError} BAD_CONFIG; the signal's reason; whatever the cache or the scorer throws
 */
export async function runSuite(options: SuiteOptions): Promise<SuiteRun> {
  const refuse = (problem: string) => new EvaluationError("BAD_CONFIG", problem);
  checkKind(options, "options of runSuite()", "an object", refuse);
  const { suite, items, systems, scorer, seed = 0 } = options;
  checkKind(suite, "options of runSuite(): suite", "a text", refuse);
  checkKind(scorer, "options of runSuite(): scorer", "an object", refuse);
  for (const [name, list] of Object.entries({ items, systems })) {
    checkKind(list, `options of runSuite(): ${name}`, "a list", refuse);
    for (const one of list) checkKind(one, `options of runSuite(): one of ${name}`, "an object", refuse);
  }
  checkSuite(options);
  const fingerprints = items.map(itemFingerprint);
  const runs: SystemRun[] = [];
  for (const system of systems) {
    runs.push({
      system: system.name,
      outcomes: await runSystem(options, system, fingerprints, runs.length),
    });
  }
  return { suite, seed, scorer, items, systems: runs };
}

function checkSuite({ items, systems, scorer }: SuiteOptions): void {
  const bad = (message: string) => {
    throw new EvaluationError("BAD_CONFIG", message);
  };
  if (items.length === 0) bad("items: is empty; give at least one question");
  if (systems.length === 0) bad("systems: is empty; give at least one");
  if (scorer.metrics.length === 0) bad("scorer: has no metric; give at least one");
  const id = firstRepeated(items.map((item) => item.id));
  if (id !== undefined) bad(`items: id "${id}" occurs twice; give each item of a suite an id of its own`);
  const name = firstRepeated(systems.map((system) => system.name));
  if (name !== undefined) bad(`systems: "${name}" occurs twice; give each system a name of its own`);
}

function firstRepeated(values: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return values.find((value) => seen.has(value) || !seen.add(value));
}

async function runSystem(
  options: SuiteOptions,
  system: System,
  fingerprints: readonly string[],
  systemsDone: number,
): Promise<ItemOutcome[]> {
  const { items, scorer, cache, concurrency = 16, seed = 0, now = () => performance.now() } = options;
  const metric = scorer.metrics[0]?.name ?? "";
  const clock = new SharedClock(now);
  const outcomes: ItemOutcome[] = [];
  const tally = { done: 0, failed: 0, resumed: 0, score: 0 };
  const report = () =>
    options.onProgress?.({
      ...tally,
      system: system.name,
      systemsDone,
      systemsTotal: options.systems.length,
      total: items.length,
      score: tally.done === 0 ? 0 : tally.score / tally.done,
    });
  const settle = (place: number, outcome: ItemOutcome) => {
    outcomes[place] = outcome;
    tally.done += 1;
    tally.failed += outcome.failure === undefined ? 0 : 1;
    tally.resumed += outcome.resumed ? 1 : 0;
    tally.score += outcome.scores[metric] ?? 0;
    report();
  };

  options.signal?.throwIfAborted();
  report();
  await inLanes(
    items.entries(),
    { lanes: concurrency, signal: options.signal },
    async ([place, item], signal) => {
      const itemSeed = seedOf(seed, item);
      const key = fingerprint({
        system: system.name,
        settings: system.settings,
        item: fingerprints[place],
        seed: itemSeed,
      });
      const work = { system, item, key, itemSeed, scorer, cache, clock, signal, options };
      const outcome = await runItem(work);
      // An error that is not the failure of an item ends the whole run.
      if (!outcome.resumed) await options.onOutcome?.(system.name, item, outcome);
      settle(place, outcome);
    },
  );
  return outcomes;
}

interface ItemWork {
  readonly system: System;
  readonly item: EvalItem;
  readonly key: string;
  readonly itemSeed: number;
  readonly scorer: Scorer;
  readonly cache: PredictionCache | undefined;
  readonly clock: SharedClock;
  readonly signal: AbortSignal;
  readonly options: SuiteOptions;
}

async function runItem(work: ItemWork): Promise<ItemOutcome> {
  const { system, item, key, scorer, cache, clock, signal, options } = work;
  signal.throwIfAborted();
  const base = { itemId: item.id, group: item.group };
  const kept = cache?.get(key);
  if (kept) return { ...base, ...(await scoredAgain(work, kept)), resumed: true };
  const span = clock.start();
  const answered = await withRetries(
    () => system.answer(item, { signal, seed: work.itemSeed }),
    { ...options.retry, seed: work.itemSeed },
    signal,
  );
  const { seconds, busySeconds } = span.end();
  const { attempts } = answered;
  if ("failure" in answered) {
    const scores = Object.fromEntries(scorer.metrics.map(({ name }) => [name, 0]));
    const { failure } = answered;
    return { ...base, scores, failure, seconds, busySeconds, attempts, resumed: false };
  }
  const prediction = answered.value;
  const line = {
    key,
    system: system.name,
    item: item.id,
    prediction,
    seconds,
    busySeconds,
    attempts,
  };
  let scores: Readonly<Record<string, number>>;
  try {
    scores = await scoresOf(work, prediction);
  } catch (error) {
    // The run ends, but the answer need not be requested again.
    await cache?.append({ ...line, scorer: "", scores: {} });
    throw error;
  }
  await cache?.append({ ...line, scorer: scorer.name, scores: { ...scores } });
  return { ...base, prediction, scores, seconds, busySeconds, attempts, resumed: false };
}

/** Returns a cached prediction with its scores, which are computed again when another scorer computed them. */
async function scoredAgain(
  work: ItemWork,
  kept: KeptPrediction,
): Promise<Omit<ItemOutcome, "itemId" | "group" | "resumed">> {
  const { prediction, seconds, busySeconds, attempts } = kept;
  const finished = { prediction, seconds, busySeconds, attempts };
  if (kept.scorer === work.scorer.name) return { ...finished, scores: kept.scores };
  const scores = await scoresOf(work, prediction);
  await work.cache?.append({ ...kept, scorer: work.scorer.name, scores: { ...scores } });
  return { ...finished, scores };
}

async function scoresOf(
  { scorer, item, signal }: ItemWork,
  prediction: Prediction,
): Promise<Readonly<Record<string, number>>> {
  const empty = scorer.judgesEmpty !== true && prediction.text.trim() === "";
  const scores = empty ? {} : await scorer.score(item, prediction, signal);
  return Object.fromEntries(
    scorer.metrics.map(({ name }) => {
      const value = empty ? 0 : scores[name];
      if (value === undefined || !Number.isFinite(value)) {
        throw new EvaluationError(
          "BAD_SCORE",
          `scorer ${scorer.name}: ${name} of item "${item.id}" is ${value}, but must be a finite number`,
        );
      }
      return [name, value];
    }),
  );
}

function seedOf(seed: number, item: EvalItem): number {
  return callSeed(seed, Number.parseInt(fingerprint({ id: item.id }).slice(0, 7), 16));
}
