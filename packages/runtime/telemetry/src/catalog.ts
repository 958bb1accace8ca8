/** Every metric that any Palimpsest process exports. A metric that is not in this table cannot be created. */
import { clusterMetrics } from "./catalog/cluster-metrics.js";
import {
  type MetricDefinition,
  type MetricGroup,
  type MetricType,
  metricGroups,
} from "./catalog/definition.js";
import { learningMetrics } from "./catalog/learning-metrics.js";

export {
  type MetricDefinition,
  type MetricGroup,
  type MetricType,
  type MetricUnit,
  metricGroups,
} from "./catalog/definition.js";

export const catalog = { ...clusterMetrics, ...learningMetrics };

type Catalog = typeof catalog;
export type MetricName = keyof Catalog;

/** The names of all metrics of one type. */
export type MetricNameOf<T extends MetricType> = {
  [N in MetricName]: Catalog[N]["type"] extends T ? N : never;
}[MetricName];

/** The label names of one metric. */
export type LabelsOf<N extends MetricName> = Catalog[N]["labels"][number];

export function definitionOf(name: MetricName): MetricDefinition {
  return catalog[name];
}

/** Returns the group of a metric, which is the second word of its name. */
export function groupOf(name: MetricName): MetricGroup {
  const word = name.split("_")[1];
  const group = metricGroups.find((candidate) => candidate === word);
  if (group === undefined) {
    throw new Error(`metric ${name} belongs to no group`);
  }
  return group;
}
