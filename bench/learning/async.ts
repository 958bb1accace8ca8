/**
 * Compares asynchronous steps with synchronous ones, through every real process: with the quickstart's recipe, and with
 * the same recipe over documents, and therefore episodes, of log-normal length (σ = 1). For each seed the modes
 * alternate on one cluster, so that a drift of the machine's speed affects all of them. Prints steps per hour and the
 * exact match after the last step, with the paired interval of the difference to the synchronous run over all seeds'
 * questions. Needs built code: npm run build.
 * Usage: npx tsx --conditions=@palimpsest/source bench/learning/async.ts [--recipes quickstart,log-normal] [--seeds
 *   1,2,3] [--modes sync,wait,refill] [--staleness 2] [--steps 140] [--tasks 128] [--json FILE]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import type { RunReport } from "@palimpsest/trainer";
import { createRandom } from "../../packages/learning/datasets/src/index.js";
import { type Evaluation, pairedDifference } from "../../packages/learning/evals/src/index.js";
import { openRulerTasks } from "../../packages/learning/small-world/src/index.js";
import { TestCluster } from "../../test/support/test-cluster.js";
import { TrainingRun } from "../../test/support/training-run.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({
  recipes: "quickstart,log-normal",
  seeds: "1,2,3",
  modes: "sync,wait,refill",
  staleness: "2",
  steps: "140",
  tasks: "128",
  json: undefined,
});
const steps = Number(flags.steps);
const runLimitMs = 4 * 3_600_000;

interface RunFigures {
  readonly recipe: string;
  readonly mode: string;
  readonly seed: number;
  readonly stepsPerHour: number;
  readonly learnerWaitSeconds: number;
  readonly stalenessMean: number;
  readonly stalenessMax: number;
  readonly groupsStale: number;
  readonly exactMatch: number;
  /** Whether each question was answered correctly, in order. */
  readonly correct: readonly boolean[];
  readonly load: number;
}

const { parse } = createRequire(new URL("../../packages/learning/trainer/package.json", import.meta.url))(
  "yaml",
) as {
  readonly parse: (text: string) => unknown;
};
type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const base = parse(readFileSync("recipes/quickstart.yaml", "utf8")) as Sections;

/** Writes documents of 12 sentences in the median; lengths are capped at 20 times that. */
async function writeLogNormalTasks(file: string, seed: number): Promise<void> {
  const random = createRandom(`${seed}/lengths`);
  const rows: string[] = [];
  for (let place = 0; place < steps * 16 + 256; place++) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());
    const sentences = Math.min(240, Math.max(4, Math.round(12 * Math.exp(normal))));
    const ruler = { ...(base["data"]?.["ruler"] as object), sentences, count: 1, seed: `${seed}/${place}` };
    const { question, answers, document, metadata } = await openRulerTasks(ruler).open(0);
    rows.push(JSON.stringify({ id: `t${place}`, question, answers, document, metadata }));
  }
  writeFileSync(file, `${rows.join("\n")}\n`);
}

async function measure(
  cluster: TestCluster,
  recipe: string,
  mode: string,
  seed: number,
): Promise<RunFigures> {
  const name = `${recipe}-${mode}-${seed}`;
  const maxStaleness = mode === "sync" ? 0 : Number(flags.staleness);
  const tasks = join(cluster.dir, `${recipe}-${seed}.jsonl`);
  if (recipe === "log-normal") await writeLogNormalTasks(tasks, seed);
  const file = join(cluster.dir, `${name}.yaml`);
  const changed = {
    ...base,
    name,
    seed,
    ...(recipe === "log-normal" ? { data: { source: "jsonl", path: tasks } } : {}),
    // All modes train with the same loss.
    learner: { ...base["learner"], importance: { kind: "tis-token", cap: 2 } },
    train: {
      ...base["train"],
      steps,
      maxStaleness,
      ...(mode === "sync" ? {} : { staleGroups: mode }),
      stopWhenStuckMs: 1_800_000,
    },
    evaluation: { ...base["evaluation"], tasks: Number(flags.tasks), lengths: [1], everySteps: steps },
  };
  writeFileSync(file, JSON.stringify(changed));
  const folder = join(cluster.dir, name);
  const report = join(cluster.dir, `${name}.json`);
  const run = TrainingRun.start(cluster, file, folder, ["--report", report]);
  const { code, stderr } = await run.end({ timeoutMs: runLimitMs });
  if (code !== 0) throw new Error(`${name}: ${stderr}`);
  const { secondsByPhase } = JSON.parse(readFileSync(report, "utf8")) as RunReport;
  const last = join(folder, "evaluations", `step-${String(steps).padStart(8, "0")}.json`);
  const [length] = (JSON.parse(readFileSync(last, "utf8")) as Evaluation).lengths;
  const correct = (length?.outcomes ?? []).map((outcome) => outcome.correct === true);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const figures = {
    recipe,
    mode,
    seed,
    stepsPerHour: (steps / (secondsByPhase["training"] ?? Number.NaN)) * 3600,
    learnerWaitSeconds: mean(run.steps.map(({ learnerWaitSeconds }) => learnerWaitSeconds)),
    stalenessMean: mean(run.steps.map(({ update }) => update.stalenessMean)),
    stalenessMax: Math.max(...run.steps.map(({ update }) => update.stalenessMax)),
    groupsStale: run.steps.at(-1)?.groupsStale ?? 0,
    exactMatch: mean(correct.map(Number)),
    correct,
    load: loadavg()[0] ?? 0,
  };
  const { correct: _each, ...shown } = figures;
  console.log(JSON.stringify(shown));
  return figures;
}

/** Compares the modes of each recipe with its synchronous runs. */
function compared(runs: readonly RunFigures[]) {
  const others = [...new Set(runs.map(({ recipe, mode }) => `${recipe} ${mode}`))].filter(
    (name) => !name.endsWith(" sync"),
  );
  return others.map((name) => {
    const mine = runs.filter(({ recipe, mode }) => `${recipe} ${mode}` === name);
    const counts = { bothRight: 0, onlyAfter: 0, onlyBefore: 0, bothWrong: 0 };
    const ratios: number[] = [];
    for (const { recipe, seed, correct, stepsPerHour } of mine) {
      const sync = runs.find((run) => run.recipe === recipe && run.seed === seed && run.mode === "sync");
      if (sync === undefined) continue;
      ratios.push(stepsPerHour / sync.stepsPerHour);
      for (const [at, right] of correct.entries()) {
        const before = sync.correct[at] === true;
        counts[before ? (right ? "bothRight" : "onlyBefore") : right ? "onlyAfter" : "bothWrong"]++;
      }
    }
    const { difference, interval, n } = pairedDifference(counts);
    return { name, stepsPerHourRatios: ratios, difference, interval, questions: n };
  });
}

const runs: RunFigures[] = [];
const cluster = await TestCluster.start();
try {
  for (const recipe of flags.recipes.split(",")) {
    for (const seed of flags.seeds.split(",").map(Number)) {
      for (const mode of flags.modes.split(",")) runs.push(await measure(cluster, recipe, mode, seed));
    }
  }
} finally {
  await cluster.stop();
}
const comparisons = compared(runs);
console.table(
  comparisons.map(({ name, stepsPerHourRatios, difference, interval }) => ({
    name,
    "steps an hour, times synchronous": stepsPerHourRatios.map((ratio) => ratio.toFixed(2)).join(", "),
    "exact match, difference": `${(100 * difference).toFixed(1)} points`,
    "95 %, paired": `${(100 * interval.low).toFixed(1)} to ${(100 * interval.high).toFixed(1)}`,
  })),
);
if (flags.json !== undefined) {
  const machine = { cpu: cpus()[0]?.model, cpus: cpus().length };
  const report = { machine, steps, maxStaleness: Number(flags.staleness), comparisons, runs };
  writeResult(flags.json, report);
}
