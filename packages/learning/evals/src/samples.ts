import { type Interval, wilsonInterval } from "./intervals.js";
import { meanInterval, type Observation } from "./resampling.js";
import type { EvalItem } from "./suite/item.js";

/**
 * Returns every item `samples` times. The samples of one question have ids of their own, so that each has its own seed.
 * The first sample keeps the item's id: it is the one that an evaluation with one sample would take.
 */
export function withSamples(items: readonly EvalItem[], samples: number): EvalItem[] {
  return items.flatMap((item) =>
    Array.from({ length: samples }, (_, index) =>
      index === 0 ? item : { ...item, id: `${item.id}#${index + 1}`, questionKey: item.id },
    ),
  );
}

/** Returns the question to which a sample of `withSamples` belongs. */
export const questionOf = ({ id, questionKey }: Pick<EvalItem, "id" | "questionKey">): string =>
  questionKey ?? id;

/**
 * Returns the 95 % interval of a fraction of right samples: Wilson's when every question was asked once, else the
 * bootstrap over questions, because samples of one question are not independent.
 * @param observations 1 for right and 0 for wrong, clustered by question; at least one
 */
export function sampledShareInterval(observations: readonly Observation[]): Interval {
  const questions = new Set(observations.map(({ cluster }) => cluster)).size;
  const right = observations.reduce((sum, { value }) => sum + value, 0);
  if (questions === observations.length) return wilsonInterval(right, questions);
  return meanInterval(observations, (value, n) => wilsonInterval(value * n, n));
}

export interface PassAtK {
  /** Fraction of questions with at least one right sample among the k. */
  readonly share: number;
  /** 95 % Wilson interval over questions. */
  readonly interval: Interval;
}

/** Computes pass@k of questions that were each asked k times. */
export function passAtK(observations: readonly Observation[]): PassAtK {
  const questions = new Set(observations.map(({ cluster }) => cluster)).size;
  const passed = new Set(observations.filter(({ value }) => value === 1).map(({ cluster }) => cluster)).size;
  return { share: passed / questions, interval: wilsonInterval(passed, questions) };
}
