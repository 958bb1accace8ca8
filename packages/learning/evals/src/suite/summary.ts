import { checkKind, checkParts } from "@palimpsest/std/input";
import { EvaluationError } from "../error.js";
import { type Interval, wilsonInterval } from "../intervals.js";
import { meanInterval } from "../resampling.js";
import type { ItemOutcome, SuiteRun } from "./runner.js";
import type { Metric, Scorer } from "./scorer.js";

/** The name of the additional group that contains all items, which exists when there are several groups. */
export const allGroups = "all";

/** The mean of a metric, with its confidence interval. */
export interface MetricSummary {
  readonly value: number;
  /** 95 % interval: Wilson's for fractions of independent items, else the bootstrap over questions. */
  readonly interval: Interval;
}

/** The results of one system over the items of one group. Mean costs are over the items that did not fail. */
export interface CellSummary {
  readonly group: string | number;
  readonly n: number;
  readonly failures: number;
  readonly empty: number;
  readonly metrics: Readonly<Record<string, MetricSummary>>;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  readonly conversations: number;
  /** Fraction of the calls that ended at their token limit. */
  readonly truncatedShare: number;
  /** Mean number of document tokens that the model was not shown. */
  readonly droppedDocumentTokens: number;
  /** Mean time from question to answer, in seconds. */
  readonly seconds: number;
  /** Mean part of the wall-clock time, in seconds. */
  readonly busySeconds: number;
  /** Means of the system's own numbers, over the items that have them. */
  readonly measures: Readonly<Record<string, number>>;
}

/** The part of an item's outcome that is kept, which suffices to pair this run with another one. */
export interface OutcomeSummary {
  readonly item: string;
  readonly group: string | number;
  readonly question: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly failure?: string;
}

/** The results of one system. */
export interface SystemSummary {
  readonly system: string;
  readonly cells: readonly CellSummary[];
  readonly outcomes: readonly OutcomeSummary[];
}

/** The results of an evaluation, as `summary.json` has them. */
export interface SuiteSummary {
  readonly suite: string;
  readonly seed: number;
  readonly scorer: string;
  readonly metrics: readonly Metric[];
  readonly groups: readonly (string | number)[];
  readonly systems: readonly SystemSummary[];
}

/** Returns everything in the report as numbers. */
export function summarizeSuite(run: SuiteRun): SuiteSummary {
  const refuse = (problem: string) => new EvaluationError("BAD_CONFIG", problem);
  const parts = { suite: "a text", seed: "a number", scorer: "an object", items: "a list" } as const;
  checkParts(run, "run of summarizeSuite()", { ...parts, systems: "a list" }, refuse);
  const { suite, seed, scorer, items } = run;
  for (const one of [...items, ...run.systems])
    checkKind(one, "run of summarizeSuite(): one of its items or systems", "an object", refuse);
  const groups = sortedGroups(items.map((item) => item.group));
  const questions = new Map(items.map((item) => [item.id, item.questionKey ?? item.id]));
  const questionOf = (id: string) => questions.get(id) ?? id;
  const cells = groups.length > 1 ? [...groups, allGroups] : groups;
  return {
    suite,
    seed,
    scorer: scorer.name,
    metrics: scorer.metrics,
    groups,
    systems: run.systems.map(({ system, outcomes }) => ({
      system,
      cells: cells.map((group) => {
        const own = outcomes.filter((outcome) => group === allGroups || outcome.group === group);
        return cellOf(group, own, scorer, questionOf);
      }),
      outcomes: outcomes.map(({ itemId, group, scores, failure }) => ({
        item: itemId,
        group,
        question: questionOf(itemId),
        scores,
        ...(failure === undefined ? {} : { failure }),
      })),
    })),
  };
}

/** Sorts numbers by value, followed by texts in the order of the items. */
function sortedGroups(groups: readonly (string | number)[]): (string | number)[] {
  const distinct = [...new Set(groups)];
  const numbers = distinct.filter((group) => typeof group === "number").sort((a, b) => a - b);
  return [...numbers, ...distinct.filter((group) => typeof group !== "number")];
}

function cellOf(
  group: string | number,
  outcomes: readonly ItemOutcome[],
  { metrics, judgesEmpty }: Scorer,
  questionOf: (id: string) => string,
): CellSummary {
  const answered = outcomes.flatMap((outcome) =>
    outcome.prediction ? [{ ...outcome, prediction: outcome.prediction }] : [],
  );
  const mean = (values: readonly number[]) =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  const count = (key: "promptTokens" | "sampledTokens" | "conversations" | "truncated") =>
    mean(answered.map(({ prediction }) => prediction.counts[key]));
  const conversations = count("conversations");
  return {
    group,
    n: outcomes.length,
    failures: outcomes.length - answered.length,
    empty: judgesEmpty ? 0 : answered.filter(({ prediction }) => prediction.text.trim() === "").length,
    metrics: Object.fromEntries(
      metrics.map((metric) => [metric.name, metricOf(metric, outcomes, questionOf)]),
    ),
    promptTokens: count("promptTokens"),
    sampledTokens: count("sampledTokens"),
    conversations,
    truncatedShare: conversations === 0 ? 0 : count("truncated") / conversations,
    droppedDocumentTokens: mean(answered.map(({ prediction }) => prediction.droppedDocumentTokens ?? 0)),
    seconds: mean(answered.map(({ seconds }) => seconds)),
    busySeconds: mean(answered.map(({ busySeconds }) => busySeconds)),
    measures: measuresOf(
      answered.map(({ prediction }) => prediction.measures ?? {}),
      mean,
    ),
  };
}

function metricOf(
  metric: Metric,
  outcomes: readonly ItemOutcome[],
  questionOf: (id: string) => string,
): MetricSummary {
  const observations = outcomes.map(({ itemId, scores }) => ({
    value: scores[metric.name] ?? 0,
    cluster: questionOf(itemId),
  }));
  const sum = observations.reduce((total, { value }) => total + value, 0);
  const n = observations.length;
  const independent = new Set(observations.map(({ cluster }) => cluster)).size === n;
  const interval =
    metric.kind === "share" && independent ? wilsonInterval(sum, n) : meanInterval(observations, whereEqual);
  return { value: n === 0 ? 0 : sum / n, interval };
}

/** Returns the interval of n equal values. Wilson's interval is valid for the mean of any values in [0, 1]. */
const whereEqual = (value: number, n: number): Interval =>
  value >= 0 && value <= 1 ? wilsonInterval(value * n, n) : { low: value, high: value };

function measuresOf(
  measures: readonly Readonly<Record<string, number>>[],
  mean: (values: readonly number[]) => number,
): Record<string, number> {
  const names = [...new Set(measures.flatMap((one) => Object.keys(one)))].sort();
  return Object.fromEntries(
    names.map((name) => [
      name,
      mean(measures.flatMap((one) => (one[name] === undefined ? [] : [one[name]]))),
    ]),
  );
}
