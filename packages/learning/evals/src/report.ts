import { join } from "node:path";
import { makeFolder, replaceFile } from "@palimpsest/std/files";
import { compareEvaluations, type LengthComparison } from "./compare.js";
import type { Interval } from "./intervals.js";
import type { CategoryResult, Evaluation, LengthResult } from "./length-results.js";
import { exactMatchPlot, peakMemoryPlot, type RewardPoint, rewardPlot, timePerTokenPlot } from "./plots.js";
import { traceMarkdown } from "./trace/trace-markdown.js";
import type { Trace } from "./trace/trace-schema.js";

/** The contents of a report. */
export interface ReportData {
  readonly title: string;
  /** Lines under the title, such as the model's size and the seconds of each phase. */
  readonly facts?: Readonly<Record<string, string | number>>;
  readonly before?: Evaluation;
  readonly after: Evaluation;
  /** The length that was trained on. Tables mark it, and longer lengths are compared with it. */
  readonly trainingLengthTokens?: number;
  readonly rewardCurve?: readonly RewardPoint[];
  /** The evaluation whose time and memory are shown, if not `after`: longer documents, for example. */
  readonly cost?: Evaluation;
  readonly example?: Trace;
}

/** The results of one length as numbers, for programs to read. */
export interface LengthSummary extends Omit<LengthResult, "outcomes"> {
  readonly before?: { readonly exactMatch: number | null; readonly exactMatchInterval: Interval | null };
  readonly comparison?: LengthComparison;
  /** Exact match divided by that of the training length, if there is one. */
  readonly shareOfTrainingLength?: number;
}

/** The facts at the head of a run's report. */
export interface ReportSummary {
  readonly title: string;
  readonly facts: Readonly<Record<string, string | number>>;
  /** Exact match before training, at the training length or, when none is named, at the first length. */
  readonly exactMatchBefore: number | null;
  /** Null when the reward does not report an exact match. */
  readonly exactMatchAfter: number | null;
  readonly exactMatchByLength: readonly LengthSummary[];
  readonly rewardCurve: readonly RewardPoint[];
}

/** @throws {EvaluationError} NOT_COMPARABLE */
export function summarize(data: ReportData): ReportSummary {
  const comparisons = data.before ? compareEvaluations(data.before, data.after) : [];
  const home = (evaluation: Evaluation) =>
    evaluation.lengths.find((length) => length.lengthTokens === data.trainingLengthTokens) ??
    evaluation.lengths[0];
  const atHome = home(data.after)?.exactMatch ?? null;
  const exactMatchByLength = data.after.lengths.map(({ outcomes: _, ...length }): LengthSummary => {
    const comparison = comparisons.find((other) => other.lengthTokens === length.lengthTokens);
    const earlier = data.before?.lengths.find((other) => other.lengthTokens === length.lengthTokens);
    return {
      ...length,
      ...(earlier
        ? { before: { exactMatch: earlier.exactMatch, exactMatchInterval: earlier.exactMatchInterval } }
        : {}),
      ...(comparison ? { comparison } : {}),
      ...(data.trainingLengthTokens !== undefined && atHome !== null && atHome > 0
        ? { shareOfTrainingLength: (length.exactMatch ?? 0) / atHome }
        : {}),
    };
  });
  return {
    title: data.title,
    facts: data.facts ?? {},
    exactMatchBefore: data.before ? (home(data.before)?.exactMatch ?? null) : null,
    exactMatchAfter: atHome,
    exactMatchByLength,
    rewardCurve: data.rewardCurve ?? [],
  };
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const range = ({ low, high }: Interval): string => `[${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)}]`;
const points = (difference: number): string =>
  `${difference < 0 ? "−" : "+"}${Math.abs(difference * 100).toFixed(1)}`;
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

/** Writes the report as Markdown. Plots have the names that `writeReport` gives them. */
export function reportMarkdown(data: ReportData): string {
  const summary = summarize(data);
  const lines = [`# ${data.title}`, ""];
  for (const [name, value] of Object.entries(summary.facts)) lines.push(`- ${name}: ${value}`);
  if (summary.rewardCurve.length > 0) lines.push("", "## Reward", "", "![Reward while training](reward.svg)");
  const tellsMatch = data.after.lengths.every(({ exactMatch }) => exactMatch !== null);
  if (summary.exactMatchByLength.some(rewardsMoreThanMatches)) {
    lines.push("", "## Reward by document length", "", ...rewardTable(summary), "");
    lines.push(
      "Means; differences with paired bootstrap intervals, p by random sign flips; 95 %, two-sided.",
    );
  }
  if (tellsMatch) {
    lines.push("", "## Exact match by document length", "", ...exactMatchTable(data, summary), "");
    lines.push(matchNote(data.after.lengths), "", "![Exact match by document length](exact-match.svg)");
  }
  lines.push(...categorySection(data));
  lines.push(
    "",
    "## Cost by document length",
    "",
    ...costTable(data.cost ?? data.after),
    "",
    "![Time per document token](time-per-token.svg)",
    "",
    "![Peak memory of the process](peak-memory.svg)",
    "",
  );
  if (data.example) lines.push("## Example", "", "One episode step by step: [example.md](example.md).", "");
  return lines.join("\n");
}

function matchNote(lengths: readonly LengthResult[]): string {
  const samples = Math.max(...lengths.map((length) => length.samples));
  if (samples === 1) {
    return "Fractions with Wilson intervals, differences in points with Newcombe's paired interval, p by McNemar's exact test; all 95 %, two-sided. Failed episodes count as wrong.";
  }
  return `mean@${samples}, each question asked ${samples} times, with bootstrap intervals over questions, p by random sign flips; pass@${samples} is the fraction of questions with a right answer among them, with Wilson intervals; all 95 %, two-sided. Failed episodes count as wrong.`;
}

/** Returns whether the reward says something that the fraction of right answers does not. */
const rewardsMoreThanMatches = ({ meanReward, exactMatch, comparison }: LengthSummary): boolean =>
  meanReward !== exactMatch || comparison?.reward.before !== comparison?.exactMatch?.before;

function rewardTable({ exactMatchByLength }: ReportSummary): string[] {
  const compared = exactMatchByLength.every(({ comparison }) => comparison !== undefined);
  const head = [
    "document tokens",
    "tasks",
    ...(compared ? ["before", "after", "difference", "p"] : ["reward"]),
  ];
  const body = exactMatchByLength.map(({ lengthTokens, n, meanReward, comparison }) => {
    if (!compared || !comparison) return row([lengthTokens, n, meanReward.toFixed(3)]);
    const { before, after, difference, interval, p } = comparison.reward;
    const change = `${difference < 0 ? "−" : "+"}${Math.abs(difference).toFixed(3)} [${interval.low.toFixed(3)}, ${interval.high.toFixed(3)}]`;
    return row([lengthTokens, n, before.toFixed(3), after.toFixed(3), change, pText(p)]);
  });
  return [row(head), row(head.map(() => "---:")), ...body];
}

const pText = (p: number): string => (p < 0.001 ? "< 0.001" : p.toFixed(3));

function exactMatchTable(data: ReportData, summary: ReportSummary): string[] {
  const trained = data.trainingLengthTokens;
  const head = ["document tokens", "tasks"];
  if (data.before) head.push("before", "after", "difference", "p");
  else head.push("exact match");
  const samples = Math.max(...data.after.lengths.map((length) => length.samples));
  if (samples > 1) head.push(`pass@${samples}`);
  if (trained !== undefined) head.push("of training length");
  head.push("failed");
  const body = summary.exactMatchByLength.map((length) => {
    const isTrained = length.lengthTokens === trained;
    const cells: (string | number)[] = [`${length.lengthTokens}${isTrained ? " (trained)" : ""}`, length.n];
    if (length.before) cells.push(share(length.before));
    cells.push(share(length));
    if (length.comparison?.exactMatch) {
      const { difference, interval, p } = length.comparison.exactMatch;
      cells.push(`${points(difference)} ${range(interval)}`, pText(p));
    }
    if (samples > 1) {
      cells.push(share({ exactMatch: length.passAtK, exactMatchInterval: length.passAtKInterval }));
    }
    if (trained !== undefined) {
      cells.push(length.shareOfTrainingLength === undefined ? "–" : percent(length.shareOfTrainingLength));
    }
    cells.push(length.failures);
    return row(cells);
  });
  return [row(head), row(head.map(() => "---:")), ...body];
}

function share({ exactMatch, exactMatchInterval }: Pick<LengthResult, "exactMatch" | "exactMatchInterval">) {
  if (exactMatch === null || exactMatchInterval === null) return "–";
  return `${percent(exactMatch)} ${range(exactMatchInterval)}`;
}

function costTable(evaluation: Evaluation): string[] {
  const head = [
    "document tokens",
    "µs per document token",
    "sampled tokens per document token",
    "conversations",
    "peak MiB",
  ];
  return [
    row(head),
    row(head.map(() => "---:")),
    ...evaluation.lengths.map((length) =>
      row([
        length.lengthTokens,
        length.microsecondsPerDocumentToken.toFixed(1),
        length.sampledTokensPerDocumentToken.toFixed(3),
        length.conversations,
        mebibytes(length.peakRssBytes),
      ]),
    ),
  ];
}

/** Returns every file of the report by name. */
export function reportFiles(data: ReportData): Record<string, string> {
  const evaluations = [
    ...(data.before ? [{ name: "before", evaluation: data.before }] : []),
    { name: data.before ? "after" : "exact match", evaluation: data.after },
  ];
  const cost = data.cost ?? data.after;
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return {
    "report.md": reportMarkdown(data),
    "report.json": json(summarize(data)),
    ...(data.after.lengths.every(({ exactMatch }) => exactMatch !== null)
      ? { "exact-match.svg": exactMatchPlot(evaluations) }
      : {}),
    "time-per-token.svg": timePerTokenPlot(cost),
    "peak-memory.svg": peakMemoryPlot(cost),
    ...(data.rewardCurve?.length ? { "reward.svg": rewardPlot(data.rewardCurve) } : {}),
    ...(data.example
      ? { "example.md": traceMarkdown(data.example), "example.json": json(data.example) }
      : {}),
  };
}

/**
 * Writes the report into a folder, which is created if needed. Every file appears as a whole. Returns the files' paths.
 */
export async function writeReport(folder: string, data: ReportData): Promise<string[]> {
  return await writeFiles(folder, reportFiles(data));
}

/** Writes files by name into a folder, which is created if needed. Each appears as a whole. Returns their paths. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  makeFolder(folder);
  const paths: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await replaceFile(path, content);
    paths.push(path);
  }
  return paths;
}

/** Writes the report's section on rewards by task category; returns no lines when no task has a category. */
function categorySection(data: { readonly before?: Evaluation; readonly after: Evaluation }): string[] {
  const rows = data.after.lengths.flatMap(({ lengthTokens, categories }) => {
    const earlier = data.before?.lengths.find((length) => length.lengthTokens === lengthTokens);
    return categories.map((after) => ({
      lengthTokens,
      after,
      before: earlier?.categories.find(({ category }) => category === after.category),
    }));
  });
  if (rows.length === 0) return [];
  const compared = data.before !== undefined;
  const head = ["category", "document tokens", "episodes", ...(compared ? ["before", "after"] : ["reward"])];
  return [
    "",
    "## Reward by category",
    "",
    line(head),
    line(["---", ...head.slice(1).map(() => "---:")]),
    ...rows.map(({ lengthTokens, after, before }) => {
      const { category, episodes } = after;
      const rewards = [...(compared ? [rewardText(before)] : []), rewardText(after)];
      return line([cellText(category), lengthTokens, episodes, ...rewards]);
    }),
    "",
    "Means with bootstrap intervals over questions, 95 %.",
  ];
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;

/** Escapes a category for a table. It is data, so it may contain characters that would end a cell or a line. */
const cellText = (text: string) => text.replace(/[|\\]/g, "\\$&").replace(/\s+/g, " ");

function rewardText(result: CategoryResult | undefined): string {
  if (!result) return "–";
  const { low, high } = result.meanRewardInterval;
  return `${result.meanReward.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}
