import { type Interval, wilsonInterval } from "../intervals.js";
import { answerIn } from "../suite/qa-scorer.js";
import type { SuiteRun } from "../suite/runner.js";
import type { ReportSection } from "../suite/suite-markdown.js";
import { type AnswerVerdict, answerVerdict, answerVerdicts, oldValuesOf } from "./answer-verdict.js";

/** One system's scores over all questions, and what its answers to updates say. */
interface MemoryRow {
  readonly system: string;
  /** By metric: the mean over the types' means, over all questions, and over those without an answer. */
  readonly means: Readonly<
    Record<string, { readonly types: number; readonly overall: number; readonly abstention: number }>
  >;
  /** Shares of the verdicts over the updates whose old value is known. */
  readonly updates: Readonly<Record<AnswerVerdict, number>>;
  readonly staleInterval: Interval;
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const percent = (value: number) => (value * 100).toFixed(1);
const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;

/**
 * Reports benchmarks of memory, whose items say whether there is an answer (metadata `abstention`): means over the types
 * of questions, and how many answers about what has changed name the old value. Nothing is written for other items.
 */
export function memorySection(run: SuiteRun): ReportSection[] {
  const items = new Map(run.items.map((item) => [item.id, item]));
  const asked = run.items.filter(({ metadata }) => typeof metadata["abstention"] === "boolean");
  if (asked.length === 0) return [];
  const updates = asked.filter((item) => oldValuesOf(item).length > 0);
  const { metrics } = run.scorer;
  const rows = run.systems.map(({ system, outcomes }): MemoryRow => {
    const told = outcomes.flatMap((one) => {
      const item = items.get(one.itemId);
      return typeof item?.metadata["abstention"] === "boolean" ? [{ ...one, item }] : [];
    });
    const answerable = told.filter(({ item }) => item.metadata["abstention"] === false);
    const types = [...new Set(answerable.map(({ group }) => group))].map((type) =>
      answerable.filter(({ group }) => group === type),
    );
    const means = metrics.map(({ name }) => {
      const over = (some: typeof told) => mean(some.map(({ scores }) => scores[name] ?? 0));
      const abstention = told.filter(({ item }) => item.metadata["abstention"] === true);
      return [
        name,
        { types: mean(types.map(over)), overall: over(told), abstention: over(abstention) },
      ] as const;
    });
    const verdicts = told.flatMap(({ item, prediction }) =>
      oldValuesOf(item).length > 0
        ? [answerVerdict(item, answerIn(prediction?.text ?? "", "auto") ?? "")]
        : [],
    );
    const count = (verdict: AnswerVerdict) => verdicts.filter((one) => one === verdict).length;
    return {
      system,
      means: Object.fromEntries(means),
      updates: Object.fromEntries(
        answerVerdicts.map((verdict) => [verdict, count(verdict) / Math.max(1, verdicts.length)]),
      ) as Record<AnswerVerdict, number>,
      staleInterval: wilsonInterval(count("stale"), Math.max(1, verdicts.length)),
    };
  });
  const changed = asked.filter(({ metadata }) => metadata["category"] === "knowledge-update").length;
  return [
    {
      title: "Types, abstention and old values",
      lines: [...meanTable(rows, metrics), "", ...updateTable(rows, updates.length, changed)],
      data: { rows, updates: updates.length },
      files: {},
    },
  ];
}

function meanTable(rows: readonly MemoryRow[], metrics: SuiteRun["scorer"]["metrics"]): string[] {
  const shown = rows.flatMap(({ system, means }) =>
    metrics.flatMap(({ name, label }, at) => {
      const own = means[name];
      if (own === undefined) return [];
      return [
        line([
          at === 0 ? system : "",
          label,
          ...[own.types, own.overall, own.abstention].map((value) => percent(value)),
        ]),
      ];
    }),
  );
  return [
    line(["system", "metric", "mean over types", "overall", "abstention"]),
    line(["---", "---", "---:", "---:", "---:"]),
    ...shown,
    "",
    "In percent. A question without an answer (abstention) is right if the answer says so, and is in no type; a question with one is wrong if it does.",
  ];
}

function updateTable(rows: readonly MemoryRow[], known: number, changed: number): string[] {
  if (known === 0) return [];
  return [
    line(["system", ...answerVerdicts, "stale, 95 %"]),
    line(["---", ...answerVerdicts.map(() => "---:"), "---:"]),
    ...rows.map(({ system, updates, staleInterval: { low, high } }) =>
      line([
        system,
        ...answerVerdicts.map((verdict) => percent(updates[verdict])),
        `[${percent(low)}, ${percent(high)}]`,
      ]),
    ),
    "",
    `Of the ${known} questions${changed > known ? ` (${changed} about updates)` : ""} whose replaced value is known, percent of the answers that name the answer, the replaced value beside it (both) or instead of it (stale). Replaced values are numbers and names that only earlier statements contain: values in other words are not seen.`,
  ];
}
