/**
 * Responsibility: the command line of a learning bench: one run (task, seed, control) per process, which writes one
 * JSON file; and `--collect`, which turns a folder of them into the table, the results file and the curves. Not
 * responsible for: the run itself (in-process-run.ts), what is learned (the bench that calls it).
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { linePlot, type PlotSeries } from "../../packages/learning/evals/src/index.js";
import { saveModel } from "../../packages/learning/model/src/index.js";
import { readRecipe } from "../../packages/learning/trainer/src/recipe/recipe.js";
import type { Recipe } from "../../packages/learning/trainer/src/recipe/recipe-schema.js";
import type { Task } from "../../packages/learning/trajectories/src/index.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { type CurvePoint, type EvaluationSet, runInProcess, type SetResult } from "./in-process-run.js";

/** One measure of an evaluation set, followed over the run. */
export interface Measure {
  /** The name of the set. Default: the first set. */
  readonly set?: string;
  /** `reward`, a component of the reward, or a counter of the agent. */
  readonly measure: string;
}

export interface LearningTask {
  /** Recipe file, relative to the working folder. */
  readonly recipe: string;
  /** Updates between evaluations. */
  readonly evaluateEvery: number;
  /** The columns of the table; the first one is the criterion of the task. */
  readonly measures: Readonly<Record<string, Measure>>;
  /** Adapts the recipe to this task. */
  readonly adapt?: (recipe: Recipe) => Recipe;
  /** The training questions of a seed. Default: the recipe's, reseeded. */
  readonly tasks?: (recipe: Recipe, seed: number) => Promise<readonly Task[]> | readonly Task[];
  /** The evaluation sets. Default: the recipe's. */
  readonly sets?: (recipe: Recipe) => Promise<readonly EvaluationSet[]> | readonly EvaluationSet[];
}

export interface LearningPlot {
  /** The name of the file in docs/images, without .svg. */
  readonly file: string;
  readonly title: string;
  readonly yLabel: string;
  /** The lines of the plot: task and column of its table. A control line is drawn where there are shuffled runs. */
  readonly lines: readonly { readonly task: string; readonly column: string; readonly name: string }[];
  readonly yMax?: number;
}

export interface LearningBench {
  /** Results go to bench/results/learning-NAME.json. */
  readonly name: string;
  readonly tasks: Readonly<Record<string, LearningTask>>;
  readonly plots: readonly LearningPlot[];
}

/** The content of the file that one process writes. */
interface RunFile {
  readonly task: string;
  readonly recipe: string;
  readonly seed: number;
  readonly shuffled: boolean;
  readonly steps: number;
  readonly curve: readonly CurvePoint[];
  /** Mean training reward of each step. */
  readonly rewards: readonly number[];
  readonly seconds: number;
  readonly processorSeconds: number;
  readonly rolloutSeconds: number;
  readonly updateSeconds: number;
  readonly machine: { readonly cpu: string; readonly cpus: number; readonly threads: number };
}

export async function learningBench(bench: LearningBench): Promise<void> {
  const flags = benchFlags({
    task: Object.keys(bench.tasks)[0] as string,
    seed: "1",
    shuffled: false,
    steps: undefined,
    threads: "1",
    base: undefined,
    save: undefined,
    out: "runs/learning",
    collect: false,
    results: "bench/results",
    plots: "docs/images",
  });
  if (flags.collect) {
    collect(bench, flags.out, flags.results, flags.plots);
    return;
  }
  const task = bench.tasks[flags.task];
  if (!task)
    throw new Error(`--task: "${flags.task}" is unknown; use ${Object.keys(bench.tasks).join(", ")}`);
  const seed = Number(flags.seed);
  const threads = Number(flags.threads);
  const recipe = recipeOf(task, seed, flags.base, flags.steps);
  const startedAt = performance.now();
  const processorBefore = process.cpuUsage();
  let rolloutSeconds = 0;
  let updateSeconds = 0;
  const recent: number[] = [];
  const first = Object.values(task.measures)[0] as Measure;
  const curve: CurvePoint[] = [];
  const rewards: number[] = [];
  const file = join(
    flags.out,
    `${bench.name}.${flags.task}.${seed}${flags.shuffled ? ".shuffled" : ""}.json`,
  );
  mkdirSync(flags.out, { recursive: true });
  /** Writes the state of the run so far, so that a run that is cut short leaves what it has shown. */
  const write = (): RunFile => {
    const { user, system } = process.cpuUsage(processorBefore);
    const run: RunFile = {
      task: flags.task,
      recipe: recipe.name,
      seed,
      shuffled: flags.shuffled,
      steps: rewards.length,
      curve: curve.map(({ step, sets }) => ({ step, sets: sets.map(roundedSet) })),
      rewards: rewards.map(rounded),
      seconds: Math.round((performance.now() - startedAt) / 1000),
      processorSeconds: Math.round((user + system) / 1e6),
      rolloutSeconds: Math.round(rolloutSeconds),
      updateSeconds: Math.round(updateSeconds),
      machine: { cpu: cpus()[0]?.model ?? "", cpus: cpus().length, threads },
    };
    writeFileSync(file, `${JSON.stringify(run)}\n`);
    return run;
  };
  const { model } = await runInProcess({
    recipe,
    seed,
    shuffleRewards: flags.shuffled,
    threads,
    evaluateEvery: task.evaluateEvery,
    ...(task.tasks ? { tasks: await task.tasks(recipe, seed) } : {}),
    ...(task.sets ? { sets: await task.sets(recipe) } : {}),
    onStep: (update, step, secondsRollout) => {
      recent.push(update.rewardMean);
      rewards.push(update.rewardMean);
      rolloutSeconds += secondsRollout;
      updateSeconds += update.durationMs / 1000;
      if ((step + 1) % 10 !== 0) return;
      const reward = mean(recent.splice(0)).toFixed(3);
      const facts = `k3 ${update.klK3.toFixed(3)}, entropy ${update.entropy.toFixed(3)}, rows ${update.rows}`;
      console.log(
        `step ${step + 1}: reward ${reward}, ${facts}, rollout ${rolloutSeconds.toFixed(0)} s, update ${updateSeconds.toFixed(0)} s`,
      );
    },
    onEvaluation: (point) => {
      const columns = Object.entries(task.measures).map(
        ([column, measure]) => `${column} ${readMeasure(point, measure).toFixed(3)}`,
      );
      console.log(`evaluated after ${point.step}: ${columns.join(", ")}`);
      curve.push(point);
      write();
    },
  });
  const run = write();
  if (flags.save) await saveModel(flags.save, model);
  const [start, end] = [curve[0], curve.at(-1)] as [CurvePoint, CurvePoint];
  console.log(
    `${file}: ${readMeasure(start, first).toFixed(3)} → ${readMeasure(end, first).toFixed(3)}, ${run.seconds} s`,
  );
}

/** The seed changes the training questions, the sampling and the shuffles; the evaluation stays the same. */
function recipeOf(task: LearningTask, seed: number, base?: string, steps?: string): Recipe {
  const { recipe: read } = readRecipe(task.recipe);
  const recipe = task.adapt?.(read) ?? read;
  const { data, learner, train } = recipe;
  return {
    ...recipe,
    seed,
    learner: { ...learner, seed },
    model: base === undefined ? recipe.model : { path: base },
    train: { ...train, steps: steps === undefined ? train.steps : Number(steps) },
    data:
      data.source === "ruler"
        ? { ...data, ruler: { ...data.ruler, seed: `${data.ruler.seed}/${seed}` } }
        : data,
  };
}

function collect(bench: LearningBench, folder: string, results: string, plots: string): void {
  const runs = readdirSync(folder)
    .filter((name) => name.startsWith(`${bench.name}.`) && name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as RunFile)
    .filter((run) => run.task in bench.tasks)
    .sort(
      (a, b) => a.task.localeCompare(b.task) || Number(a.shuffled) - Number(b.shuffled) || a.seed - b.seed,
    );
  if (runs.length === 0) throw new Error(`${folder}: holds no run of ${bench.name}; run the tasks first`);
  console.table(runs.map((run) => tableRow(bench, run)));
  mkdirSync(results, { recursive: true });
  mkdirSync(plots, { recursive: true });
  writeResult(join(results, `learning-${bench.name}.json`), { runs });
  for (const plot of bench.plots) writeFileSync(join(plots, `${plot.file}.svg`), plotOf(bench, plot, runs));
}

function tableRow(bench: LearningBench, run: RunFile): Record<string, string | number> {
  const { measures } = bench.tasks[run.task] as LearningTask;
  const [start, end] = [run.curve[0], run.curve.at(-1)] as [CurvePoint, CurvePoint];
  const columns = Object.entries(measures).map(([column, measure]) => [
    column,
    `${readMeasure(start, measure).toFixed(3)} → ${readMeasure(end, measure).toFixed(3)}`,
  ]);
  return {
    task: run.task,
    seed: run.seed,
    rewards: run.shuffled ? "shuffled" : "true",
    steps: run.steps,
    ...Object.fromEntries(columns),
    seconds: run.seconds,
  };
}

/** Plots the mean of the seeds at each evaluation, with bars from the lowest seed to the highest. */
function plotOf(bench: LearningBench, plot: LearningPlot, runs: readonly RunFile[]): string {
  const series = plot.lines.flatMap(({ task, column, name }): PlotSeries[] => {
    const measure = bench.tasks[task]?.measures[column];
    if (!measure) throw new Error(`${plot.file}: ${task} has no column "${column}"`);
    return [false, true].flatMap((shuffled) => {
      const own = runs.filter((run) => run.task === task && run.shuffled === shuffled);
      const steps = own[0]?.curve.map(({ step }) => step) ?? [];
      const points = steps.map((step) => {
        const values = own.flatMap((run) => {
          const point = run.curve.find((at) => at.step === step);
          return point ? [readMeasure(point, measure)] : [];
        });
        return { x: step, y: mean(values), low: Math.min(...values), high: Math.max(...values) };
      });
      return own.length === 0 ? [] : [{ name: `${name}${shuffled ? ", shuffled" : ""}`, points }];
    });
  });
  const tasks = new Set(plot.lines.map(({ task }) => task));
  const seeds = new Set(runs.filter((run) => tasks.has(run.task) && !run.shuffled).map(({ seed }) => seed))
    .size;
  const title = `${plot.title} (${seeds} ${seeds === 1 ? "seed" : "seeds"})`;
  return linePlot({ title, xLabel: "updates", yLabel: plot.yLabel, series, yMin: 0, yMax: plot.yMax ?? 1 });
}

function readMeasure(point: CurvePoint, { set, measure }: Measure): number {
  const found = set === undefined ? point.sets[0] : point.sets.find(({ name }) => name === set);
  if (!found) throw new Error(`no evaluation set "${set}"`);
  return found.measures[measure] ?? 0;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const rounded = (value: number) => Number(value.toFixed(4));
const roundedSet = (set: SetResult): SetResult => ({
  ...set,
  measures: Object.fromEntries(Object.entries(set.measures).map(([key, value]) => [key, rounded(value)])),
});
