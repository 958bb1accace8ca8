import { crossedMean } from "../crossed-mean.js";
import { EvaluationError } from "../error.js";
import { type Interval, mcNemarP, type PairedCounts, pairedDifference } from "../intervals.js";
import { holm, meanInterval, signFlipP } from "../resampling.js";
import type { Metric } from "./scorer.js";
import { allGroups, type OutcomeSummary, type SuiteSummary, type SystemSummary } from "./summary.js";

/** Compares two systems over the same items, by one metric. */
export interface Pair {
  readonly group: string | number;
  readonly metric: string;
  readonly first: string;
  readonly second: string;
  readonly n: number;
  /** Mean of the second minus mean of the first. */
  readonly difference: number;
  /**
   * 95 % interval: Newcombe's paired one for fractions of independent items, else the paired bootstrap; with several training runs over
   * runs and questions.
   */
  readonly interval: Interval;
  /** Two-sided p: McNemar's exact test for such fractions, else random sign flips, one coin per question; with several training runs Student's t. */
  readonly p: number;
  /** Number of training runs of whose means the first is the mean; absent: it is one run. */
  readonly runs?: number;
  /** `p` after Holm's correction over all pairs of this group and metric. */
  readonly adjustedP: number;
}

/** Compares every pair of systems of one run, by every metric, in every group and over all of them. */
export function pairsOf(summary: SuiteSummary): Pair[] {
  const { systems, metrics, groups } = summary;
  const couples = systems.flatMap((first, i) => systems.slice(i + 1).map((second) => ({ first, second })));
  return cellsOf(groups).flatMap((group) =>
    metrics.flatMap((metric) =>
      adjusted(couples.map(({ first, second }) => pairOf(metric, group, first, second))),
    ),
  );
}

/**
 * Compares the same systems in two runs, for example with another checkpoint or other settings. When each run has only
 * one system, these two are compared.
 * @param names the names of the two runs, which the pairs show
 * @throws {EvaluationError} NOT_COMPARABLE
 */
export function pairsBetween(
  before: SuiteSummary,
  after: SuiteSummary,
  names: { readonly before: string; readonly after: string },
): Pair[] {
  const couples = couplesOf(before, after, names.before);
  const metrics = after.metrics.filter(({ name }) => before.metrics.some((other) => other.name === name));
  return cellsOf(after.groups).flatMap((group) =>
    metrics.flatMap((metric) =>
      adjusted(
        couples.map(({ first, second }) => ({
          ...pairOf(metric, group, first, second),
          first: `${names.before}: ${first.system}`,
          second: `${names.after}: ${second.system}`,
        })),
      ),
    ),
  );
}

/**
 * Compares the systems of a run with the means of the same systems over several runs, each with a policy of its own training run. The run
 * itself is one policy, and the variance of its training is not counted. Compared are metrics that all runs have, in groups of more than
 * one question.
 * @throws {EvaluationError} NOT_COMPARABLE
 */
export function pairsWithRuns(
  before: readonly { readonly name: string; readonly summary: SuiteSummary }[],
  after: SuiteSummary,
  name: string,
): Pair[] {
  const couples = before.flatMap((run) =>
    couplesOf(run.summary, after, run.name).map((couple) => ({ ...couple, run: run.name })),
  );
  const all = before.map((run) => run.name).join(", ");
  if (new Set(before.map((run) => run.name)).size < Math.max(2, before.length))
    throw new EvaluationError(
      "NOT_COMPARABLE",
      `runs: ${all || "none"} are not two or more different ones, and a run that counts twice would seem certain; give each of several training runs once`,
    );
  const metrics = after.metrics.filter((metric) =>
    before.every(({ summary }) => summary.metrics.some((other) => other.name === metric.name)),
  );
  const cells = cellsOf(after.groups).filter((group) => questionsOf(group, after) > 1);
  if (cells.length === 0)
    throw new EvaluationError(
      "NOT_COMPARABLE",
      "questions: no group has two, so that their variance is not known; evaluate more, such as with a higher --limit",
    );
  return cells.flatMap((group) =>
    metrics.flatMap(({ name: metric }) =>
      adjusted(
        after.systems.flatMap((second) => {
          const own = couples.filter((couple) => couple.second === second);
          if (own.length < before.length) return [];
          const observations = own.flatMap(({ first, run }) =>
            pairedOutcomes(group, first, second).map(({ a, b, cluster }) => ({
              value: (b.scores[metric] ?? 0) - (a.scores[metric] ?? 0),
              ...{ run, question: cluster },
            })),
          );
          const { mean, interval, p } = crossedMean(observations);
          const shown = {
            first: `mean of ${all}: ${own[0]?.first.system ?? second.system}`,
            second: `${name}: ${second.system}`,
            runs: before.length,
            n: observations.length / own.length,
          };
          return [{ group, metric, ...shown, difference: mean, interval, p }];
        }),
      ),
    ),
  );
}

/** The least number of different questions in a group that a system was asked. */
function questionsOf(group: string | number, { systems }: SuiteSummary): number {
  return Math.min(
    ...systems.map(
      ({ outcomes }) =>
        new Set(
          outcomes.filter((one) => group === allGroups || one.group === group).map((one) => one.question),
        ).size,
    ),
  );
}

function couplesOf(before: SuiteSummary, after: SuiteSummary, name: string) {
  const lone = before.systems.length === 1 && after.systems.length === 1;
  const couples = after.systems.flatMap((second) => {
    const first = lone ? before.systems[0] : before.systems.find((other) => other.system === second.system);
    return first ? [{ first, second }] : [];
  });
  if (couples.length > 0) return couples;
  throw new EvaluationError(
    "NOT_COMPARABLE",
    `systems: ${after.systems.map((one) => one.system).join(", ")} are not in ${name}; compare runs that have a system in common`,
  );
}

const cellsOf = (groups: readonly (string | number)[]) =>
  groups.length > 1 ? [...groups, allGroups] : groups;

function adjusted(pairs: readonly Omit<Pair, "adjustedP">[]): Pair[] {
  const ps = holm(pairs.map(({ p }) => p));
  return pairs.map((pair, i) => ({ ...pair, adjustedP: ps[i] ?? 1 }));
}

function pairOf(
  { name, kind }: Metric,
  group: string | number,
  first: SystemSummary,
  second: SystemSummary,
): Omit<Pair, "adjustedP"> {
  const couples = pairedOutcomes(group, first, second);
  const base = {
    group,
    metric: name,
    first: first.system,
    second: second.system,
    n: couples.length,
  };
  const independent = new Set(couples.map(({ cluster }) => cluster)).size === couples.length;
  if (kind === "share" && independent) {
    const counts = countsOf(couples.map(({ a, b }) => [a.scores[name] ?? 0, b.scores[name] ?? 0]));
    const { difference, interval } = pairedDifference(counts);
    return { ...base, difference, interval, p: mcNemarP(counts) };
  }
  const differences = couples.map(({ a, b, cluster }) => ({
    value: (b.scores[name] ?? 0) - (a.scores[name] ?? 0),
    cluster,
  }));
  const difference = differences.reduce((sum, { value }) => sum + value, 0) / Math.max(1, differences.length);
  return { ...base, difference, interval: meanInterval(differences), p: signFlipP(differences) };
}

function countsOf(couples: readonly (readonly [number, number])[]): PairedCounts {
  const count = (a: boolean, b: boolean) =>
    couples.filter(([first, second]) => first >= 1 === a && second >= 1 === b).length;
  return {
    bothRight: count(true, true),
    onlyAfter: count(false, true),
    onlyBefore: count(true, false),
    bothWrong: count(false, false),
  };
}

function pairedOutcomes(
  group: string | number,
  first: SystemSummary,
  second: SystemSummary,
): { a: OutcomeSummary; b: OutcomeSummary; cluster: string }[] {
  const inGroup = (outcome: OutcomeSummary) => group === allGroups || outcome.group === group;
  const earlier = new Map(first.outcomes.filter(inGroup).map((outcome) => [outcome.item, outcome]));
  const later = second.outcomes.filter(inGroup);
  return later.map((b) => {
    const a = earlier.get(b.item);
    if (a === undefined || earlier.size !== later.length) {
      throw new EvaluationError(
        "NOT_COMPARABLE",
        `items: "${b.item}" or others in group ${group} are not in both runs; evaluate the same items (the same files, lengths, --limit and seed)`,
      );
    }
    return { a, b, cluster: b.question };
  });
}
