import type { SupervisedRow } from "../rows/sft.js";
import type { SupervisedMetrics } from "../step/supervised-step.js";
import type { Learner } from "./learner.js";

export interface WarmStartOptions {
  readonly learner: Learner;
  /** Returns the rows of step `step`, counted from 0. */
  readonly rows: (step: number) => readonly SupervisedRow[];
  readonly steps: number;
  /** Replaces the schedule's rate; a function is called at each step. */
  readonly learningRate?: number | ((step: number) => number);
  readonly onStep?: (metrics: SupervisedMetrics, step: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Trains on demonstrations first, because a model that cannot follow the format yet gets no reward to learn from.
 * @returns metrics of the last step
 */
export async function warmStart(options: WarmStartOptions): Promise<SupervisedMetrics | undefined> {
  const { learner, signal } = options;
  let last: SupervisedMetrics | undefined;
  for (let step = 0; step < options.steps; step++) {
    const rate =
      typeof options.learningRate === "function" ? options.learningRate(step) : options.learningRate;
    last = await learner.sft(options.rows(step), {
      ...(rate === undefined ? {} : { learningRate: rate }),
      ...(signal === undefined ? {} : { signal }),
    });
    options.onStep?.(last, step);
  }
  return last;
}
