import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { dotPlot } from "../dot-plot.js";
import { EvaluationError } from "../error.js";
import { linePlot, type PlotSeries } from "../line-plot.js";
import { writeFiles } from "../report.js";
import type { Metric } from "./scorer.js";
import { plotName, type SuiteReport, suiteMarkdown } from "./suite-markdown.js";
import { allGroups, type SuiteSummary } from "./summary.js";

const intervalSchema = z.strictObject({ low: z.number(), high: z.number() });
const groupSchema = z.union([z.string(), z.number()]);
const cellSchema = z.strictObject({
  group: groupSchema,
  n: z.number(),
  failures: z.number(),
  empty: z.number(),
  metrics: z.record(z.string(), z.strictObject({ value: z.number(), interval: intervalSchema })),
  promptTokens: z.number(),
  sampledTokens: z.number(),
  conversations: z.number(),
  truncatedShare: z.number(),
  droppedDocumentTokens: z.number(),
  seconds: z.number(),
  busySeconds: z.number(),
  measures: z.record(z.string(), z.number()),
});
const outcomeSchema = z.strictObject({
  item: z.string(),
  group: groupSchema,
  question: z.string(),
  scores: z.record(z.string(), z.number()),
  failure: z.string().optional(),
});
const summarySchema = z.strictObject({
  suite: z.string(),
  seed: z.number(),
  scorer: z.string(),
  metrics: z.array(z.strictObject({ name: z.string(), label: z.string(), kind: z.enum(["share", "mean"]) })),
  groups: z.array(groupSchema),
  systems: z.array(
    z.strictObject({
      system: z.string(),
      cells: z.array(cellSchema),
      outcomes: z.array(outcomeSchema),
    }),
  ),
});
const reportSchema = z.object({ summary: summarySchema });

const pairSchema = z.strictObject({
  group: groupSchema,
  metric: z.string(),
  first: z.string(),
  second: z.string(),
  n: z.int(),
  difference: z.number(),
  interval: intervalSchema,
  p: z.number(),
  runs: z.int().optional(),
  adjustedP: z.number(),
});

/** What `suiteJson` returns, for programs that read it. */
export const suiteReportSchema = z.strictObject({
  title: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  summary: summarySchema,
  pairs: z.array(pairSchema),
  comparison: z.array(pairSchema).optional(),
  sections: z.array(z.strictObject({ title: z.string(), data: z.unknown() })).optional(),
});

/** Returns every file of the report by name. */
export function suiteReportFiles(report: SuiteReport): Record<string, string> {
  const plots = report.summary.metrics
    .slice(0, 2)
    .map((metric) => [plotName(metric.name), scorePlot(report.summary, metric)] as const);
  return {
    "report.md": suiteMarkdown(report),
    "report.json": suiteJson(report),
    ...Object.fromEntries(plots),
    ...Object.assign({}, ...(report.sections ?? []).map(({ files }) => files)),
  };
}

/** Returns the report for machines, with sections as their data. */
export function suiteJson({ sections, ...report }: SuiteReport): string {
  const own = sections?.map(({ title, data }) => ({ title, data }));
  return `${JSON.stringify({ ...report, ...(own ? { sections: own } : {}) }, null, 2)}\n`;
}

/**
 * Writes the report into a folder, which is created if needed. Every file appears as a whole. Returns the files' paths.
 */
export async function writeSuiteReport(folder: string, report: SuiteReport): Promise<string[]> {
  return await writeFiles(folder, suiteReportFiles(report));
}

/**
 * Reads the summary of an earlier run.
 * @throws {EvaluationError} BAD_FOLDER
 */
export async function readSuiteSummary(folder: string): Promise<SuiteSummary> {
  const path = join(folder, "report.json");
  try {
    const { summary } = reportSchema.parse(JSON.parse(await readFile(path, "utf8")));
    return {
      ...summary,
      systems: summary.systems.map((one) => ({
        ...one,
        outcomes: one.outcomes.map(({ failure, ...outcome }) => ({
          ...outcome,
          ...(failure === undefined ? {} : { failure }),
        })),
      })),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EvaluationError(
      "BAD_FOLDER",
      `"${path}" is not a report of an evaluation (${reason}); give the report.json of an evaluation`,
    );
  }
}

/**
 * Plots one metric of all systems with intervals: over numeric groups as lines, else as dots, one per system and group.
 */
function scorePlot(summary: SuiteSummary, metric: Metric): string {
  const { systems, groups } = summary;
  const title = `${metric.label}, 95 % intervals`;
  const numeric = groups.every((group) => typeof group === "number" && group > 0);
  if (numeric && groups.length > 1) {
    return linePlot({
      title,
      xLabel: "group (log scale)",
      yLabel: metric.label,
      xScale: "log",
      yMin: 0,
      yMax: 1,
      series: systems.map(
        ({ system, cells }): PlotSeries => ({
          name: system,
          points: cells.flatMap(({ group, metrics }) => {
            const found = metrics[metric.name];
            return typeof group === "number" && found
              ? [{ x: group, y: found.value, ...found.interval }]
              : [];
          }),
        }),
      ),
    });
  }
  const several = groups.length > 1;
  return dotPlot({
    title,
    xLabel: metric.label,
    rows: systems.flatMap(({ system, cells }) =>
      cells
        .filter((cell) => !several || cell.group !== allGroups)
        .flatMap(({ group, metrics }) => {
          const found = metrics[metric.name];
          const name = several ? `${system} · ${group}` : system;
          return found ? [{ name, value: found.value, ...found.interval }] : [];
        }),
    ),
  });
}

/**
 * Reads the summaries of earlier runs, each with its folder as its name.
 * @throws {EvaluationError} BAD_FOLDER; NOT_COMPARABLE if a folder is given twice, which would count one run as two
 */
export async function readEarlierRuns(
  folders: readonly string[],
): Promise<{ readonly name: string; readonly summary: SuiteSummary }[]> {
  const runs = await Promise.all(
    folders.map(async (name) => ({
      name,
      summary: await readSuiteSummary(name),
      path: await realpath(name),
    })),
  );
  for (const [i, { name, path }] of runs.entries()) {
    const same = runs.slice(0, i).find((other) => other.path === path);
    if (same === undefined) continue;
    throw new EvaluationError(
      "NOT_COMPARABLE",
      `--compare: "${same.name}" and "${name}" are the same folder, so that one run would count as two; give each run once`,
    );
  }
  return runs.map(({ name, summary }) => ({ name, summary }));
}
