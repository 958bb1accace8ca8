import { defaultOverlap, findOverlap, type OverlapReport } from "@palimpsest/datasets";
import type { Command } from "commander";
import { badRowLines } from "../../data/bad-row-lines.js";
import { overlapOutput } from "../../data/data-outputs.js";
import { progressLine } from "../../display/progress-line.js";
import { parseCount, parsePositive } from "../../input/key-values.js";
import { untilStopped } from "../../input/signals.js";

interface OverlapFlags {
  readonly evaluation: readonly string[];
  readonly n: number;
  readonly share: number;
  readonly drop?: string;
  readonly json?: boolean;
}

export function addDataOverlap(data: Command): void {
  data
    .command("overlap")
    .description("finds the questions of evaluation files in a training file: by id, by words, by n-grams")
    .argument("<file>", "file of tasks to train on")
    .requiredOption("--evaluation <files...>", "files of tasks that it must have nothing of")
    .option(
      "--n <words>",
      "words per n-gram; twice as many characters in scripts without spaces",
      parseCount,
      defaultOverlap.n,
    )
    .option(
      "--share <x>",
      "least share of an evaluation question's n-grams that occur in a training question",
      parsePositive,
      defaultOverlap.least,
    )
    .option("--drop <file>", "writes the rows without overlap to this file, as JSON lines")
    .addOption(overlapOutput.option())
    .addHelpText(
      "after",
      "\nThe exit code is 1 if rows were found and not dropped. Documents are not compared.",
    )
    .action(async (path: string, { evaluation, n, share, drop, json }: OverlapFlags) => {
      const bar = progressLine("comparing", "rows", process.stderr);
      let report: OverlapReport;
      try {
        report = await untilStopped((signal) =>
          findOverlap({
            path,
            evaluation,
            settings: { n, least: share },
            drop,
            signal,
            onProgress: (rows) => bar.show({ done: rows }),
          }),
        );
      } finally {
        bar.close();
      }
      if (json) overlapOutput.print(report);
      else process.stdout.write(overlapText(report, drop));
      if (report.found.length > 0 && drop === undefined) process.exitCode = 1;
    });
}

const mostShown = 20;

function overlapText(
  { rows, evaluationQuestions, found, badRows }: OverlapReport,
  drop: string | undefined,
): string {
  const lines = found
    .slice(0, mostShown)
    .map(
      ({ row, trainingId, by, share, file, id }) =>
        `row ${row}  ${trainingId}  by ${by}${by === "n-grams" ? ` (${Math.round(100 * share)} %)` : ""}: ${id} of ${file}`,
    );
  if (found.length > mostShown) lines.push(`and ${found.length - mostShown} more (--json lists all)`);
  lines.push(
    ...badRowLines(badRows),
    `${found.length} of ${rows} rows are among the ${evaluationQuestions} evaluation questions`,
  );
  if (drop !== undefined) lines.push(`${drop}  ${rows - found.length} rows`);
  return `${lines.join("\n")}\n`;
}
