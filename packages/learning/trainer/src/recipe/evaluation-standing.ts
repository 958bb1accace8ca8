/** Responsibility: the results of a run's evaluations: the number each is compared by, the best of them, and whether the run stops.
 *  Not responsible for: when evaluations happen and where they are kept (training-evaluations.ts). */
import type { Evaluation } from "@palimpsest/evals";
import { PalimpsestError } from "@palimpsest/wire";

export const evaluationMetrics = ["meanReward", "exactMatch", "passAtK"] as const;
export type EvaluationMetric = (typeof evaluationMetrics)[number];

/** The rating of an evaluation after a step. */
export interface RatedStep {
  /** Number of the training step; 0 for the evaluation before training. */
  readonly step: number;
  readonly value: number;
}

export interface Standing {
  /** The highest value so far, the newer of equals. */
  readonly best: RatedStep | undefined;
  /** Number of consecutive evaluations that did not exceed the highest value before them by more than `minimumGain`. */
  readonly withoutGain: number;
}

/**
 * Returns the number by which evaluations of a run are compared: the mean of the metric over the lengths.
 * @throws {PalimpsestError} CONFIG_INVALID if the metric needs exact match and the reward does not report it
 */
export function ratingOf({ lengths }: Evaluation, metric: EvaluationMetric): number {
  const values = lengths.map((length) => length[metric]);
  if (values.some((value) => value === null)) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `evaluation.metric: ${metric} needs a reward that reports the component exactMatch, which the run's reward does not; set metric to meanReward`,
    );
  }
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / values.length;
}

/** @param rated in the order of their steps */
export function standingOf(rated: readonly RatedStep[], minimumGain: number): Standing {
  let best: RatedStep | undefined;
  /** The value that the next evaluation has to exceed. */
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
