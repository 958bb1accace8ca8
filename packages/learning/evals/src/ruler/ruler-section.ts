import { rulerTaskNames } from "@palimpsest/datasets";
import { type Interval, wilsonInterval } from "../intervals.js";
import { linePlot } from "../line-plot.js";
import { meanInterval } from "../resampling.js";
import type { SuiteRun } from "../suite/runner.js";
import type { ReportSection } from "../suite/suite-markdown.js";

/** One system's score of one task, or of all tasks of a category, at one length. */
export interface RulerCell {
  readonly system: string;
  /** A task's name, a category of tasks, or "average". */
  readonly task: string;
  readonly length: number;
  readonly n: number;
  readonly score: number;
  readonly interval: Interval;
}

/** RULER's four categories of tasks. */
const sorts: Readonly<Record<string, RegExp>> = {
  retrieval: /^niah_/,
  tracing: /^vt$/,
  aggregation: /^[cf]we$/,
  questions: /^qa_/,
};
const average = "average";

/**
 * Returns the scores of every task, of every category and of all tasks, by system and length. Failed items score 0.
 */
export function rulerCells(run: SuiteRun): RulerCell[] {
  const taskOf = new Map(run.items.map((item) => [item.id, String(item.metadata["task"])]));
  const lengths = [...new Set(run.items.map((item) => Number(item.metadata["length"])))].sort(
    (a, b) => a - b,
  );
  const tasks = rulerTaskNames.filter((name) => [...taskOf.values()].includes(name));
  const groups: [string, (task: string) => boolean][] = [
    ...tasks.map((name): [string, (task: string) => boolean] => [name, (task) => task === name]),
    ...Object.entries(sorts).map(([sort, names]): [string, (task: string) => boolean] => [
      sort,
      (task) => names.test(task),
    ]),
    [average, () => true],
  ];
  return run.systems.flatMap(({ system, outcomes }) =>
    groups.flatMap(([task, holds]) =>
      lengths.flatMap((length): RulerCell[] => {
        const values = outcomes
          .filter((one) => one.group === length && holds(taskOf.get(one.itemId) ?? ""))
          .map(({ scores }) => scores["ruler"] ?? 0);
        return values.length === 0 ? [] : [{ system, task, length, ...summaryOf(values) }];
      }),
    ),
  );
}

/** Uses Wilson's interval when every score is 0 or 1, else the bootstrap. */
function summaryOf(values: readonly number[]): Pick<RulerCell, "n" | "score" | "interval"> {
  const n = values.length;
  const sum = values.reduce((total, value) => total + value, 0);
  const whole = values.every((value) => value === 0 || value === 1);
  const interval = whole
    ? wilsonInterval(sum, n)
    : meanInterval(values.map((value, i) => ({ value, cluster: String(i) })));
  return { n, score: sum / n, interval };
}

/** Writes the report's part on tasks by length: a table and a plot for each system. */
export function rulerSection(run: SuiteRun): ReportSection {
  const cells = rulerCells(run);
  const lines: string[] = [];
  const files: Record<string, string> = {};
  for (const [i, { system }] of run.systems.entries()) {
    const own = cells.filter((cell) => cell.system === system);
    const plot = `tasks-${i + 1}.svg`;
    lines.push(`### ${system}`, "", ...tableOf(own), "", `![${system} by length](${plot})`, "");
    files[plot] = plotOf(system, own);
  }
  lines.push(
    "RULER's score in percent with 95 % intervals (Wilson's if every item scored 0 or 1, otherwise bootstrap): the fraction of the references that the reply contains; for questions, whether it contains any. Failed and empty replies are 0.",
  );
  return { title: "Tasks by length", lines, data: cells, files };
}

function tableOf(cells: readonly RulerCell[]): string[] {
  const lengths = [...new Set(cells.map(({ length }) => length))];
  const rows = [...new Set(cells.map(({ task }) => task))].filter((task) => !(task in sorts));
  const percent = (share: number) => (share * 100).toFixed(1);
  const cellText = (cell: RulerCell | undefined) =>
    cell === undefined
      ? "–"
      : `${percent(cell.score)} [${percent(cell.interval.low)}, ${percent(cell.interval.high)}] (${cell.n})`;
  const row = (texts: readonly (string | number)[]) => `| ${texts.join(" | ")} |`;
  return [
    row(["task", ...lengths.map((length) => `${length} tokens (n)`)]),
    row(["---", ...lengths.map(() => "---:")]),
    ...rows.map((task) =>
      row([
        task,
        ...lengths.map((length) =>
          cellText(cells.find((cell) => cell.task === task && cell.length === length)),
        ),
      ]),
    ),
  ];
}

function plotOf(system: string, cells: readonly RulerCell[]): string {
  return linePlot({
    title: `${system}: RULER by category of task`,
    xLabel: "document, question and reply, tokens (log scale)",
    yLabel: "score, 95 % interval",
    xScale: "log",
    yMin: 0,
    yMax: 1,
    series: [...Object.keys(sorts), average].flatMap((name) => {
      const own = cells.filter((cell) => cell.task === name);
      const points = own.map(({ length, score, interval }) => ({ x: length, y: score, ...interval }));
      return points.length === 0 ? [] : [{ name, points }];
    }),
  });
}
