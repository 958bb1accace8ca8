import { EvaluationError } from "./error.js";
import type { Interval } from "./intervals.js";

/** One number of one question under one of several training runs; all runs were asked the same questions. */
export interface CrossedObservation {
  readonly value: number;
  readonly run: string;
  readonly question: string;
}

export interface CrossedMean {
  readonly mean: number;
  /** 95 %: of other training runs and other questions. */
  readonly interval: Interval;
  /** Two-sided p of a mean of 0. */
  readonly p: number;
}

/**
 * Returns the mean of numbers that depend on a training run and on a question, with the uncertainty of both: the variances of the runs'
 * and of the questions' means are added, what is counted in both is subtracted, and Student's t has the degrees of freedom of the smaller
 * number, so that three runs are held to be three. Source: A. Cameron, J. Gelbach, D. Miller, Robust Inference with Multiway Clustering (2011).
 * @param observations of at least two runs and two questions
 * @throws {EvaluationError} NOT_COMPARABLE if there are fewer, from which no variance is known
 */
export function crossedMean(observations: readonly CrossedObservation[]): CrossedMean {
  const n = observations.length;
  const mean = observations.reduce((sum, { value }) => sum + value, 0) / n;
  const runs = sumsOf(observations, mean, ({ run }) => run);
  const questions = sumsOf(observations, mean, ({ question }) => question);
  const both = sumsOf(observations, mean, ({ run, question }) => JSON.stringify([run, question]));
  const least = Math.min(runs.count, questions.count);
  if (least < 2)
    throw new EvaluationError(
      "NOT_COMPARABLE",
      `observations: are of ${runs.count} training runs and ${questions.count} questions, but a variance over both needs two of each; give more runs and questions`,
    );
  // The subtraction may go below the larger of the two in a small sample, never truly.
  const variance =
    Math.max(runs.variance + questions.variance - both.variance, runs.variance, questions.variance) / n ** 2;
  const error = Math.sqrt(variance);
  const half = quantile(least - 1) * error;
  const t = error === 0 ? Number.POSITIVE_INFINITY : Math.abs(mean) / error;
  const p = mean === 0 ? 1 : 2 * (1 - studentCdf(t, least - 1));
  return { mean, interval: { low: mean - half, high: mean + half }, p };
}

/** The number of clusters, and the sum of squares of their sums of deviations, corrected for so few. */
function sumsOf(
  observations: readonly CrossedObservation[],
  mean: number,
  clusterOf: (observation: CrossedObservation) => string,
): { readonly count: number; readonly variance: number } {
  const sums = new Map<string, number>();
  for (const one of observations) {
    const cluster = clusterOf(one);
    sums.set(cluster, (sums.get(cluster) ?? 0) + one.value - mean);
  }
  const count = sums.size;
  const squares = [...sums.values()].reduce((sum, value) => sum + value ** 2, 0);
  return { count, variance: (squares * count) / Math.max(1, count - 1) };
}

/** The value that Student's t stays within in 95 of 100 cases. */
function quantile(degrees: number): number {
  let [low, high] = [1, 100];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (studentCdf(middle, degrees) < 0.975) low = middle;
    else high = middle;
  }
  return high;
}

/** Source: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4. */
function studentCdf(t: number, degrees: number): number {
  if (t === Number.POSITIVE_INFINITY) return 1;
  const angle = Math.atan(t / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = isOdd && degrees === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k < degrees; k += 2) {
    term *= ((k - 1) / k) * cosine ** 2;
    sum += term;
  }
  const within = isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return (1 + within) / 2;
}
