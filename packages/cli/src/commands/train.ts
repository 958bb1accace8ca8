import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "@palimpsest/client";
import {
  type Recipe,
  type RunReport,
  readRecipe,
  reportRun,
  runFolderName,
  train,
} from "@palimpsest/trainer";
import type { Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../connection.js";
import { reportText } from "../display/report-text.js";
import { openScreen } from "../display/screen.js";
import { TrainDisplay } from "../display/train-display.js";
import { parseWhole } from "../key-values.js";
import { modelCache } from "../model-cache.js";
import { stopSignal } from "../signals.js";
import { addTrainReplay } from "./train-replay.js";
import { addTrainSft } from "./train-sft.js";

export interface RunOptions {
  readonly runDir?: string;
  readonly report?: string;
  readonly shuffleRewards?: boolean;
  readonly seed?: number;
  readonly steps?: number;
}

/** Options of every command that runs a recipe. */
export function withRunOptions(command: Command): Command {
  return command
    .option(
      "--run-dir <folder>",
      "checkpoints, metrics and report; a folder with a run of this recipe goes on with it",
    )
    .option("--report <file.json>", "also writes the result as JSON")
    .option(
      "--seed <n>",
      "another run: other training questions, sampling and shuffles; the same evaluation",
      parseWhole,
    )
    .option("--steps <n>", "replaces the recipe's number of steps", parseWhole)
    .option("--shuffle-rewards", "deals rewards out at random: the control that must not learn");
}

export function recipeWith(recipe: Recipe, options: RunOptions): Recipe {
  const { train } = recipe;
  const seeded = options.seed === undefined ? recipe : reseeded(recipe, options.seed);
  return { ...seeded, train: { ...train, steps: options.steps ?? train.steps } };
}

/** Another run of the same recipe: other training questions, other sampling, other shuffles; the same evaluation. */
function reseeded(recipe: Recipe, seed: number): Recipe {
  const { data, learner } = recipe;
  return {
    ...recipe,
    seed,
    learner: { ...learner, seed },
    data:
      data.source === "ruler"
        ? { ...data, ruler: { ...data.ruler, seed: `${data.ruler.seed}/${seed}` } }
        : data,
  };
}

/** Runs a recipe on a cluster with the display of a person or of a log, and tells how it ended. */
export async function runRecipe(
  cluster: Cluster,
  recipe: Recipe,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RunReport> {
  const runDir = options.runDir ?? join(recipe.output, runFolderName(recipe.name, new Date()));
  const shuffleRewards = options.shuffleRewards ?? false;
  const display = new TrainDisplay(
    `Palimpsest: ${recipe.name}${shuffleRewards ? " (shuffled rewards)" : ""}`,
    Date.now,
  );
  const screen = openScreen(display, process.stdout);
  let report: RunReport;
  try {
    const result = await train({
      cluster,
      recipe,
      runDir,
      models: modelCache(),
      shuffleRewards,
      signal,
      onEvent: (event) => screen.onEvent(event),
    });
    report = await reportRun(recipe, result, shuffleRewards);
    screen.onEvent({ kind: "phase", phase: "done", total: 1 });
    screen.onEvent({ kind: "progress", phase: "done", done: 1, total: 1 });
  } finally {
    screen.close();
  }
  if (options.report) writeFileSync(options.report, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(reportText(report));
  return report;
}

export function addTrain(program: Command): void {
  const command = withRunOptions(withConnection(program.command("train")));
  addTrainSft(command);
  addTrainReplay(command);
  command
    .description("runs a training recipe on a cluster, with this process as its driver")
    .argument("<recipe.yaml>", "the recipe")
    .action(async (file: string, options: ConnectionOptions & RunOptions) => {
      const recipe = recipeWith(readRecipe(file).recipe, options);
      const signal = stopSignal();
      await withCluster(options, `train ${recipe.name}`, async (cluster) => {
        await runRecipe(cluster, recipe, options, signal);
      });
    });
}
