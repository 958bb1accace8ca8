import { createRandom, type Random } from "@palimpsest/std/random";
import type { Interval } from "./intervals.js";

/** One number and its cluster. Numbers of one cluster (the same question at several lengths) are not independent. */
export interface Observation {
  readonly value: number;
  readonly cluster: string;
}

const resamples = 4000;

/**
 * Returns the 95 % percentile bootstrap interval of a mean, for which whole clusters are drawn. When all values are
 * equal that interval would have no width, so the interval of `whereEqual` is returned instead. Source: B. Efron,
 * R. Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 and 13.
 * @param observations at least one observation
 * @param whereEqual returns the interval of n clusters that all have this value; default: the value alone
 */
export function meanInterval(
  observations: readonly Observation[],
  whereEqual: (value: number, n: number) => Interval = (value) => ({ low: value, high: value }),
): Interval {
  const values = observations.map(({ value }) => value);
  const first = values[0] ?? 0;
  const clusters = clustersOf(observations);
  if (values.every((value) => value === first)) return whereEqual(first, clusters.length);
  const random = createRandom("bootstrap");
  const means = Array.from({ length: resamples }, () => drawnMean(clusters, random)).sort((a, b) => a - b);
  const at = (share: number) => means[Math.min(resamples - 1, Math.floor(share * resamples))] as number;
  return { low: at(0.025), high: at(0.975) };
}

function drawnMean(clusters: readonly Cluster[], random: Random): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < clusters.length; i++) {
    const cluster = clusters[random.below(clusters.length)] as Cluster;
    sum += cluster.sum;
    count += cluster.count;
  }
  return sum / count;
}

/** The scores of one system: a list for each training run, with one score for each question, in one order. */
export type RunScores = readonly (readonly number[])[];

/**
 * Returns the mean of `after` minus that of `before` over training runs and questions, with the 95 % percentile
 * interval of a bootstrap of two levels: runs are drawn for each side, then questions for both together. A side of one
 * run has the spread of its questions alone. `p` is two-sided, from the draws on either side of 0.
 * @param before absent: the mean of `after` itself, whose p means nothing
 * @param resamples draws, of which p cannot be less than one
 */
export function twoLevelDifference(
  after: RunScores,
  before: RunScores = [],
  resamples = levelResamples,
): { readonly difference: number; readonly interval: Interval; readonly p: number } {
  const questions = after[0]?.length ?? 0;
  const random = createRandom("two levels");
  const whole = (runs: RunScores) => runs.map((_, run) => run);
  const every = Array.from({ length: questions }, (_, at) => at);
  const at = (asked: Positions, afterRuns: Positions, beforeRuns: Positions) =>
    meanOf(after, afterRuns, asked) - meanOf(before, beforeRuns, asked);
  /** Each draw overwrites the one before: new arrays would take half of the time. */
  const drawer = (count: number) => {
    const drawn = new Uint32Array(count);
    return () => {
      for (let place = 0; place < count; place++) drawn[place] = random.below(count);
      return drawn;
    };
  };
  const [askedOf, afterOf, beforeOf] = [drawer(questions), drawer(after.length), drawer(before.length)];
  const draws = Float64Array.from({ length: resamples }, () => at(askedOf(), afterOf(), beforeOf())).sort();
  const quantile = (share: number) => draws[Math.floor(share * resamples)] ?? 0;
  const beyond = (side: (value: number) => boolean) => (1 + draws.filter(side).length) / (resamples + 1);
  return {
    difference: at(every, whole(after), whole(before)),
    interval: { low: quantile(0.025), high: quantile(0.975) },
    p: Math.min(
      1,
      2 *
        Math.min(
          beyond((value) => value <= 0),
          beyond((value) => value >= 0),
        ),
    ),
  };
}

const levelResamples = 2000;

type Positions = readonly number[] | Uint32Array;

function meanOf(scores: RunScores, runs: Positions, questions: Positions): number {
  let sum = 0;
  for (const run of runs) {
    const own = scores[run] ?? [];
    for (const question of questions) sum += own[question] ?? 0;
  }
  return sum / Math.max(1, runs.length * questions.length);
}

/**
 * Returns the two-sided p of the hypothesis that the signs of paired differences are random, with one coin flip per
 * cluster: the fraction of draws whose mean is at least as far from 0 as the observed mean. The observed signs count as
 * one draw, so p is never 0. Source: R. A. Fisher, The Design of Experiments (1935), section 21; Monte Carlo form.
 */
export function signFlipP(differences: readonly Observation[]): number {
  const sums = clustersOf(differences)
    .map(({ sum }) => sum)
    .filter((sum) => sum !== 0);
  if (sums.length === 0) return 1;
  const random = createRandom("sign-flip");
  // The tolerance keeps rounding errors from separating sums that are equal.
  const observed = Math.abs(sums.reduce((a, b) => a + b, 0)) - 1e-9;
  let extreme = 1;
  for (let i = 0; i < resamples; i++) {
    let total = 0;
    for (const sum of sums) total += random.uint32() & 1 ? sum : -sum;
    if (Math.abs(total) >= observed) extreme += 1;
  }
  return extreme / (resamples + 1);
}

/** Applies Holm's correction: the probability of any false finding among all the tests stays below 5 % at p < 0.05. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, place) => ({ p, place })).sort((a, b) => a.p - b.p);
  const adjusted: number[] = [];
  let least = 0;
  for (const [rank, { p, place }] of order.entries()) {
    least = Math.max(least, Math.min(1, p * (ps.length - rank)));
    adjusted[place] = least;
  }
  return adjusted;
}

interface Cluster {
  sum: number;
  count: number;
}

function clustersOf(observations: readonly Observation[]): Cluster[] {
  const clusters = new Map<string, Cluster>();
  for (const { value, cluster } of observations) {
    const known = clusters.get(cluster);
    if (known) {
      known.sum += value;
      known.count += 1;
    } else clusters.set(cluster, { sum: value, count: 1 });
  }
  return [...clusters.values()];
}
