import {
  preparedTasks,
  type SourceBadRow,
  type Spread,
  TaskCensus,
  type TaskStatistics,
} from "@palimpsest/datasets";
import { normalizeAnswer } from "@palimpsest/rewards";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { badRowLines } from "../../data/bad-row-lines.js";
import { tokenCounter } from "../../data/count-tokens.js";
import { statisticsOutput } from "../../data/data-outputs.js";
import { progressLine } from "../../display/progress-line.js";
import { formatTable } from "../../display/table.js";
import { untilStopped } from "../../input/signals.js";

interface StatsFlags {
  readonly tokenizer?: string;
  readonly corpus?: string;
  readonly json?: boolean;
}

export function addDataStats(data: Command): void {
  data
    .command("stats")
    .description("prints counts, lengths, answers, and positions of the evidence")
    .argument("<files...>", "files of tasks")
    .option("--tokenizer <model>", "counts tokens too: a model's folder or name")
    .option("--corpus <file>", "corpus for files whose contexts are indices; default: the one next to them")
    .addOption(statisticsOutput.option())
    .action(async (paths: readonly string[], flags: StatsFlags) => {
      const countTokens = flags.tokenizer === undefined ? undefined : await tokenCounter(flags.tokenizer);
      const census = new TaskCensus({ countTokens, normalize: normalizeAnswer });
      const bar = progressLine("reading", "tasks", process.stderr);
      let tasks = 0;
      const badRows: SourceBadRow[] = [];
      const options = {
        onBadRow: (row: SourceBadRow) => void badRows.push(row),
        ...(flags.corpus === undefined ? {} : { corpus: flags.corpus }),
      };
      try {
        await untilStopped(async (signal) => {
          for (const path of paths) {
            for await (const task of preparedTasks(path, { ...options, signal })) {
              census.add(task);
              bar.show({ done: ++tasks });
            }
          }
        });
      } finally {
        bar.close();
      }
      if (tasks === 0) {
        const why = badRowLines(badRows).join("; ") || "they contain no rows";
        throw new PalimpsestError(
          "CONFIG_INVALID",
          `${paths.join(", ")}: no tasks: ${why}; create a file of tasks with \`palimpsest data prepare\``,
        );
      }
      const statistics = census.statistics();
      if (flags.json) statisticsOutput.print({ files: paths, badRows: badRows.length, ...statistics });
      else process.stdout.write(statisticsText(statistics, badRows));
    });
}

const numbers = (count: number) => (count === 0 ? "" : `${count} numbers, true or false, `);
const emptied = (count = 0) =>
  count === 0 ? "" : `, ${count} only of articles or punctuation, which metrics compare with them`;

function statisticsText(statistics: TaskStatistics, badRows: readonly SourceBadRow[]): string {
  const { tasks, characters, tokens, questionCharacters, answers, records, probes, groups, goldPlaces } =
    statistics;
  const spreads: readonly (readonly [string, Spread | undefined])[] = [
    ["document tokens", tokens],
    ["document characters", characters],
    ["question characters", questionCharacters],
    ["answers", answers.aliases],
    ["answer characters", answers.characters],
    ["records", records],
    ["questions of the store", probes],
  ];
  const shown = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(1));
  const rows = spreads.flatMap(([name, spread]) =>
    spread === undefined
      ? []
      : [[name, ...[spread.least, spread.median, spread.mean, spread.p95, spread.most].map(shown)]],
  );
  const lines = [
    `${tasks} tasks, ${badRows.length} bad rows`,
    ...badRowLines(badRows),
    formatTable(["per task", "least", "median", "mean", "95 %", "most"], rows),
    `answers: ${answers.yesOrNo} yes or no, ${numbers(answers.numbers)}${answers.inDocument} occur in their document${emptied(answers.emptied)}`,
  ];
  for (const [field, counts] of Object.entries(groups)) {
    lines.push(
      `${field}: ${Object.entries(counts)
        .map(([value, count]) => `${value} ${count}`)
        .join(", ")}`,
    );
  }
  if (goldPlaces) {
    const { documents, meanPlace, tenths, distance, pValue } = goldPlaces;
    lines.push(
      `evidence: ${documents} documents, mean position ${meanPlace.toFixed(3)} of the context, by tenths ${tenths.map((share) => `${(100 * share).toFixed(0)}%`).join(" ")}`,
      `evidence uniformly placed: Kolmogorov-Smirnov distance ${distance.toFixed(4)}, p = ${pValue.toFixed(3)}`,
    );
  }
  return `${lines.join("\n")}\n`;
}
