import { type LengthResult, lengthResult } from "./length-results.js";
import { withSamples } from "./samples.js";
import type { EvalItem } from "./suite/item.js";
import { rewardScorer } from "./suite/rewarded-prediction.js";
import { runSuite } from "./suite/runner.js";
import type { System } from "./suite/system.js";

/** The questions for one length of document, in tokens. */
export interface LengthItems {
  /** Nominal document length under which the row is listed. */
  readonly lengthTokens: number;
  /** Reads the items when their turn comes, so that only those of one length are in memory. */
  readonly items: () => Promise<readonly EvalItem[]> | readonly EvalItem[];
}

/** Which system answers which questions, at which lengths of document. */
export interface EvaluateLengthsOptions {
  readonly suite: string;
  /** The system must answer with predictions that a reward has scored, as `rewardedPrediction` does. */
  readonly system: System;
  readonly lengths: readonly LengthItems[];
  /** How often each question is asked, ≥ 1. Default 1. */
  readonly samples?: number;
  /** Number of concurrent episodes, ≥ 1. Default 16. */
  readonly concurrency?: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
  /** Called with the number of finished episodes of this and all earlier lengths. */
  readonly onProgress?: (done: number) => void;
  /** Returns the highest resident set so far of the process that samples. Default: that of this process. */
  readonly peakRssBytes?: () => Promise<number> | number;
}

/**
 * Runs a suite for each length, one after the other, so that their times can be compared.
 * @throws {EvaluationError} BAD_CONFIG when a length has no question; the signal's reason
 */
export async function evaluateLengths(options: EvaluateLengthsOptions): Promise<LengthResult[]> {
  const { suite, system, lengths, samples = 1, concurrency, seed, signal, onProgress } = options;
  const { peakRssBytes = ownPeak } = options;
  const results: LengthResult[] = [];
  let doneBefore = 0;
  for (const { lengthTokens, items: open } of lengths) {
    const items = withSamples(await open(), samples);
    const startedAt = performance.now();
    const { systems } = await runSuite({
      suite,
      items,
      systems: [system],
      scorer: rewardScorer,
      seed,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(signal === undefined ? {} : { signal }),
      onProgress: ({ done }) => onProgress?.(doneBefore + done),
    });
    const seconds = (performance.now() - startedAt) / 1000;
    const outcomes = systems[0]?.outcomes ?? [];
    const peak = await peakRssBytes();
    results.push(lengthResult({ lengthTokens, items, outcomes, seconds, peakRssBytes: peak }));
    doneBefore += items.length;
  }
  return results;
}

/** Returns the peak resident set of this process in bytes. Node reports it in kibibytes on every platform. */
const ownPeak = () => process.resourceUsage().maxRSS * 1024;
