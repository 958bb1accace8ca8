/** Responsibility: what a run's evaluations come to: their one number, the best of them, and whether the run goes on.
 *  Not responsible for: when evaluations happen and where they are kept (training-evaluations.ts). */
import type { Evaluation } from "@palimpsest/evals";
import { PalimpsestError } from "@palimpsest/wire";

export const evaluationMetrics = ["meanReward", "exactMatch", "passAtK"] as const;
export type EvaluationMetric = (typeof evaluationMetrics)[number];

/** What an evaluation after a step came to. */
export interface RatedStep {
  /** 0: before training. */
  readonly step: number;
  readonly value: number;
}

export interface Standing {
  /** The highest value so far, the newer of equals. */
  readonly best: RatedStep | undefined;
  /** Evaluations in a row that did not raise the highest value before them by more than `minimumGain`. */
  readonly withoutGain: number;
}

/**
 * The number that evaluations of a run are compared by: the mean of the metric over the lengths.
 * @throws {PalimpsestError} CONFIG_INVALID where the reward tells no exact match and the metric needs one
 */
export function ratingOf({ lengths }: Evaluation, metric: EvaluationMetric): number {
  const values = lengths.map((length) => length[metric]);
  if (values.some((value) => value === null)) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `evaluation.metric: ${metric} needs a reward with the component exactMatch, and the run's reward has none; set meanReward`,
    );
  }
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / values.length;
}

/** @param rated in the order of their steps */
export function standingOf(rated: readonly RatedStep[], minimumGain: number): Standing {
  let best: RatedStep | undefined;
  /** What the next evaluation has to rise above. */
  let mark = Number.NEGATIVE_INFINITY;
  let withoutGain = 0;
  for (const one of rated) {
    if (one.value > mark + minimumGain) {
      mark = one.value;
      withoutGain = 0;
    } else withoutGain += 1;
    if (best === undefined || one.value >= best.value) best = one;
  }
  return { best, withoutGain };
}
