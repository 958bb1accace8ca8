import {
  catalog,
  definitionOf,
  groupOf,
  type MetricGroup,
  type MetricName,
  metricGroups,
} from "./catalog.js";

const titles: Readonly<Record<MetricGroup, string>> = {
  head: "Head",
  node: "Node",
  actor: "Actor",
  queue: "Queues",
  sampler: "Sampler",
  learner: "Learner",
  training: "Training",
  serve: "Serve",
};

/** Builds the page that documents every metric from the catalog. It ends in a newline. */
export function catalogMarkdown(): string {
  const sections = metricGroups.map((group) => [`## ${titles[group]}`, "", ...table(group)].join("\n"));
  return [
    "# Metrics",
    "",
    "Made from `packages/runtime/telemetry/src/catalog.ts`. Every process serves its metrics at `/metrics`; each series",
    "also carries the label `component` and the constant labels of its process. The usual `process_*` and `nodejs_*`",
    "metrics are exported too.",
    "",
    sections.join("\n\n"),
    "",
  ].join("\n");
}

function table(group: MetricGroup): string[] {
  const rows = metricNames()
    .filter((name) => groupOf(name) === group)
    .map((name) => {
      const { type, unit, labels, help } = definitionOf(name);
      const labelList = labels.map((label) => `\`${label}\``).join(", ") || "–";
      return `| \`${name}\` | ${type} | ${unit} | ${labelList} | ${help} |`;
    });
  return ["| Name | Type | Unit | Labels | Meaning |", "|---|---|---|---|---|", ...rows];
}

export function metricNames(): MetricName[] {
  return Object.keys(catalog) as MetricName[];
}
