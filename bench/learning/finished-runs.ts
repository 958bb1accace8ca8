/**
 * Makes the table, results file and reward curves of finished runs of `palimpsest train`, each beside its control.
 * Usage: npx tsx --conditions=@palimpsest/source bench/learning/finished-runs.ts "NAME=RUN-FOLDER" …
 *   --title TEXT --results bench/results/NAME.json --plot docs/images/NAME.svg [--smooth 5]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { linePlot } from "../../packages/learning/evals/src/index.js";
import { writeResult } from "../result-file.js";

interface Length {
  readonly n: number;
  readonly meanReward: number;
  /** Null where the reward does not report it. */
  readonly exactMatch: number | null;
}
interface Report {
  readonly facts: Readonly<Record<string, string | number>>;
  readonly rewardCurve: readonly { readonly step: number; readonly reward: number }[];
  readonly exactMatchByLength: readonly Length[];
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    title: { type: "string", default: "Mean reward of a step" },
    results: { type: "string" },
    plot: { type: "string" },
    smooth: { type: "string", default: "5" },
  },
});
const rounded = (value: number) => Number(value.toFixed(4));

const runs = positionals.map((text) => {
  const [name = "", folder = ""] = text.split("=");
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const report = JSON.parse(read("report/report.json")) as Report;
  const [before] = (JSON.parse(read("before.json")) as { readonly lengths: readonly Length[] }).lengths;
  const after = report.exactMatchByLength[0];
  if (!before || !after) throw new Error(`${folder}: its recipe has no evaluation`);
  return {
    name,
    facts: report.facts,
    questions: after.n,
    reward: { before: rounded(before.meanReward), after: rounded(after.meanReward) },
    exactMatch:
      before.exactMatch === null || after.exactMatch === null
        ? null
        : { before: rounded(before.exactMatch), after: rounded(after.exactMatch) },
    rewardCurve: report.rewardCurve.map(({ reward }) => rounded(reward)),
  };
});

console.table(
  runs.map(({ name, facts, questions, reward, exactMatch }) => ({
    run: name,
    steps: facts["steps"],
    questions,
    reward: `${reward.before.toFixed(3)} → ${reward.after.toFixed(3)}`,
    "exact match":
      exactMatch === null
        ? "–"
        : `${(exactMatch.before * 100).toFixed(1)} → ${(exactMatch.after * 100).toFixed(1)} %`,
    "training s": facts["seconds training"],
  })),
);
if (flags.results) writeResult(flags.results, { runs });
if (flags.plot) {
  const window = Number(flags.smooth);
  const smoothed = (rewards: readonly number[]) =>
    rewards.map((_, step) => {
      const recent = rewards.slice(Math.max(0, step + 1 - window), step + 1);
      return { x: step + 1, y: recent.reduce((sum, value) => sum + value, 0) / recent.length };
    });
  writeFileSync(
    flags.plot,
    linePlot({
      title: flags.title,
      xLabel: "updates",
      yLabel: `mean reward, last ${window} steps`,
      series: runs.map(({ name, rewardCurve }) => ({ name, points: smoothed(rewardCurve) })),
      yMin: 0,
    }),
  );
}
