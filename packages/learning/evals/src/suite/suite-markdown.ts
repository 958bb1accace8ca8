import type { Interval } from "../intervals.js";
import type { Pair } from "./pairs.js";
import type { Metric } from "./scorer.js";
import { allGroups, type CellSummary, type SuiteSummary } from "./summary.js";

/** A part of a report that only one suite has. */
export interface ReportSection {
  readonly title: string;
  /** The section as lines of Markdown. */
  readonly lines: readonly string[];
  /** The section's contents as a JSON value. */
  readonly data: unknown;
  /** Further files by name, such as plots. */
  readonly files: Readonly<Record<string, string>>;
}

/** The contents of a suite's report. */
export interface SuiteReport {
  readonly title: string;
  /** Lines under the title: model, data, settings. */
  readonly facts: Readonly<Record<string, string | number>>;
  readonly summary: SuiteSummary;
  /** Comparisons between the systems of the run. */
  readonly pairs: readonly Pair[];
  /** Comparisons with an earlier run. */
  readonly comparison?: readonly Pair[];
  /** Sections that follow the scores. */
  readonly sections?: readonly ReportSection[];
}

const row = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;

function table(
  head: readonly string[],
  body: readonly (readonly (string | number)[])[],
  texts = 1,
): string[] {
  return [row(head), row(head.map((_, i) => (i < texts ? "---" : "---:"))), ...body.map(row)];
}

const points = (share: number): string => (share * 100).toFixed(1);
const range = ({ low, high }: Interval): string => `[${points(low)}, ${points(high)}]`;
const signed = (difference: number): string => `${difference < 0 ? "−" : "+"}${points(Math.abs(difference))}`;
const chance = (p: number): string => (p < 0.001 ? "< 0.001" : p.toFixed(3));
const amount = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);

/** Writes the report for people. Plots have the names that `suiteReportFiles` gives them. */
export function suiteMarkdown(report: SuiteReport): string {
  const { summary } = report;
  const { metrics } = summary;
  const lines = [`# ${report.title}`, ""];
  for (const [name, value] of Object.entries(report.facts)) lines.push(`- ${name}: ${value}`);
  lines.push(
    "",
    "## Scores",
    "",
    ...scoreTable(summary),
    "",
    `In percent with 95 % intervals: Wilson's for fractions of independent questions, otherwise bootstrap over questions. Failed answers, and empty ones where a text is asked for, are wrong and stay in the count.`,
    "",
    ...metrics.slice(0, 2).flatMap(({ name, label }) => [`![${label}](${plotName(name)})`, ""]),
    ...(report.sections ?? []).flatMap(({ title, lines: own }) => [`## ${title}`, "", ...own, ""]),
    "## What it took",
    "",
    ...costTable(summary),
    "",
    "Means over the questions that did not fail. Latency is the time from question to answer while other questions run; time is a question's part of the wall-clock time.",
    "",
  );
  lines.push(...measureTable(summary));
  if (report.pairs.length > 0) {
    lines.push("## Between systems", "", ...pairTable(report.pairs, shownPairs(summary)), "", testNote, "");
  }
  if (report.comparison) {
    const several = report.comparison.some(({ runs }) => runs !== undefined);
    lines.push(
      `## Compared with the earlier run${several ? "s" : ""}`,
      "",
      ...pairTable(report.comparison, () => true),
      "",
      several ? runsNote : testNote,
      "",
    );
  }
  lines.push(...failureList(summary));
  return lines.join("\n");
}

export const plotName = (metric: string): string => `${metric.replace(/[^\w.-]+/g, "-")}.svg`;

const testNote =
  "Differences (second minus first) in points with 95 % intervals. Fractions of independent questions: Newcombe's paired interval and McNemar's exact test; otherwise paired bootstrap and random sign flips over questions. The last column is Holm's correction over the pairs of the same group and metric.";

const runsNote =
  "Differences (this run minus the mean of the earlier ones) in points with 95 % intervals over the earlier training runs and the questions, by Student's t with the degrees of freedom of the fewer. This run is one policy: the variance of its own training is not counted, so that the claim is about this policy, not about how it was trained. Left out are metrics that an earlier run lacks, and groups of one question. The last column is Holm's correction over the pairs of the same group and metric.";

/** Writes a table with systems as rows and groups as columns; several metrics follow each other. */
function scoreTable(summary: SuiteSummary): string[] {
  const { metrics, systems } = summary;
  const cells = systems[0]?.cells ?? [];
  const n = (cell: CellSummary) => `${cell.group} (n = ${cell.n})`;
  if (cells.length === 1) {
    const [only] = cells;
    return table(
      ["system", "n", ...metrics.map((metric) => metric.label), "failed", "empty"],
      systems.map(({ system, cells: [cell] }) => [
        system,
        cell?.n ?? only?.n ?? 0,
        ...metrics.map((metric) => score(metric, cell)),
        cell?.failures ?? 0,
        cell?.empty ?? 0,
      ]),
    );
  }
  return table(
    ["system", "metric", ...cells.map(n), "failed", "empty"],
    systems.flatMap(({ system, cells: own }) => {
      const all = own.find((cell) => cell.group === allGroups);
      return metrics.map((metric, i) => [
        i === 0 ? system : "",
        metric.label,
        ...own.map((cell) => score(metric, cell)),
        i === 0 ? (all?.failures ?? 0) : "",
        i === 0 ? (all?.empty ?? 0) : "",
      ]);
    }),
    2,
  );
}

function score({ name }: Metric, cell: CellSummary | undefined): string {
  const metric = cell?.metrics[name];
  return metric ? `${points(metric.value)} ${range(metric.interval)}` : "–";
}

function costTable({ systems }: SuiteSummary): string[] {
  const several = (systems[0]?.cells.length ?? 0) > 1;
  return table(
    [
      "system",
      ...(several ? ["group"] : []),
      "calls",
      "prompt tokens",
      "sampled tokens",
      "cut",
      "not shown",
      "latency s",
      "time s",
    ],
    systems.flatMap(({ system, cells }) =>
      cells.map((cell, i) => [
        i === 0 ? system : "",
        ...(several ? [cell.group] : []),
        amount(cell.conversations),
        amount(cell.promptTokens),
        amount(cell.sampledTokens),
        `${points(cell.truncatedShare)} %`,
        amount(cell.droppedDocumentTokens),
        amount(cell.seconds),
        amount(cell.busySeconds),
      ]),
    ),
    several ? 2 : 1,
  );
}

/**
 * Writes the systems' own measures over all items, such as retrieved passages, tool calls and records. Recall is also
 * listed by group.
 */
function measureTable({ systems }: SuiteSummary): string[] {
  const totals = systems.flatMap(({ system, cells }) => {
    const measures = cells.at(-1)?.measures ?? {};
    return Object.keys(measures).length === 0 ? [] : [{ system, cells, measures }];
  });
  const names = [...new Set(totals.flatMap(({ measures }) => Object.keys(measures)))].sort();
  if (names.length === 0) return [];
  const shownOf = (measures: CellSummary["measures"] | undefined, name: string) => {
    const value = measures?.[name];
    return value === undefined ? "–" : amount(value);
  };
  const byGroup = (name: string) =>
    (totals[0]?.cells.slice(0, -1) ?? []).map(({ group }) => [
      `${name}, ${group}`,
      ...totals.map(({ cells }) => shownOf(cells.find((cell) => cell.group === group)?.measures, name)),
    ]);
  return [
    "## What systems counted",
    "",
    ...table(
      ["mean per question", ...totals.map(({ system }) => system)],
      names.flatMap((name) => [
        [name, ...totals.map(({ measures }) => shownOf(measures, name))],
        ...(name.startsWith("recall@") ? byGroup(name) : []),
      ]),
    ),
    "",
  ];
}

/** Returns all pairs by the first two metrics over all items; with many systems only those with the first one. */
function shownPairs(summary: SuiteSummary): (pair: Pair) => boolean {
  const names = summary.metrics.slice(0, 2).map((metric) => metric.name);
  const group = summary.groups.length > 1 ? allGroups : summary.groups[0];
  const reference = summary.systems.length > 6 ? summary.systems[0]?.system : undefined;
  return (pair) =>
    pair.group === group &&
    names.includes(pair.metric) &&
    (reference === undefined || pair.first === reference);
}

function pairTable(pairs: readonly Pair[], shown: (pair: Pair) => boolean): string[] {
  return table(
    ["first", "second", "group", "metric", "n", "difference", "p", "p, corrected"],
    pairs
      .filter(shown)
      .map((pair) => [
        pair.first,
        pair.second,
        pair.group,
        pair.metric,
        pair.n,
        `${signed(pair.difference)} ${range(pair.interval)}`,
        chance(pair.p),
        chance(pair.adjustedP),
      ]),
    4,
  );
}

function failureList({ systems }: SuiteSummary): string[] {
  const failed = systems.flatMap(({ system, outcomes }) =>
    outcomes.flatMap(({ item, failure }) => (failure === undefined ? [] : [{ system, item, failure }])),
  );
  if (failed.length === 0) return ["No question failed.", ""];
  const most = 50;
  return [
    "## Failures",
    "",
    ...table(
      ["system", "item", "reason"],
      failed.slice(0, most).map(({ system, item, failure }) => [system, item, failure]),
      3,
    ),
    "",
    ...(failed.length > most ? [`${failed.length - most} more are in report.json.`, ""] : []),
  ];
}
