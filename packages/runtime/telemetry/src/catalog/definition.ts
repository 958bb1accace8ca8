/** Describes one metric, and how the tables of metrics are written. */

export const metricGroups = [
  "head",
  "node",
  "actor",
  "queue",
  "sampler",
  "learner",
  "training",
  "serve",
] as const;
export type MetricGroup = (typeof metricGroups)[number];
export type MetricType = "counter" | "gauge" | "histogram";
export type MetricUnit =
  | "seconds"
  | "bytes"
  | "tokens"
  | "episodes"
  | "groups"
  | "jobs"
  | "calls"
  | "versions"
  | "ratio"
  | "nats"
  | "1";

export interface MetricDefinition {
  readonly type: MetricType;
  /** One sentence, which becomes the HELP line and the row in the documentation. */
  readonly help: string;
  readonly unit: MetricUnit;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in its unit. */
  readonly buckets?: readonly number[];
}

/** The metrics of some groups, by their names. */
export type MetricTable<Group extends MetricGroup> = Readonly<
  Record<`palimpsest_${Group}_${string}`, MetricDefinition>
>;

/** Upper bounds of histogram buckets, seconds. */
export const fastSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
export const slowSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600];

/** A definition that keeps its type and the names of its labels as types. */
export interface MetricOf<Type extends MetricType, Labels extends readonly string[]>
  extends MetricDefinition {
  readonly type: Type;
  readonly labels: Labels;
}

export function counter(help: string, unit: MetricUnit): MetricOf<"counter", readonly []>;
export function counter<const Labels extends readonly string[]>(
  help: string,
  unit: MetricUnit,
  labels: Labels,
): MetricOf<"counter", Labels>;
export function counter(help: string, unit: MetricUnit, labels: readonly string[] = []): MetricDefinition {
  return { type: "counter", help, unit, labels };
}

export function gauge(help: string, unit: MetricUnit): MetricOf<"gauge", readonly []>;
export function gauge<const Labels extends readonly string[]>(
  help: string,
  unit: MetricUnit,
  labels: Labels,
): MetricOf<"gauge", Labels>;
export function gauge(help: string, unit: MetricUnit, labels: readonly string[] = []): MetricDefinition {
  return { type: "gauge", help, unit, labels };
}

export function histogram<const Labels extends readonly string[]>(
  help: string,
  unit: MetricUnit,
  labels: Labels,
  buckets: readonly number[],
): MetricOf<"histogram", Labels> & { readonly buckets: readonly number[] } {
  return { type: "histogram", help, unit, labels, buckets };
}
