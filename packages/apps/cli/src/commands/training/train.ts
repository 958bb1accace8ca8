import { writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join, relative } from "node:path";
import type { Cluster } from "@palimpsest/client";
import { gpuMemory } from "@palimpsest/jit";
import type { DownloadProgress } from "@palimpsest/model";
import { shellWord } from "@palimpsest/std";
import {
  builtinRecipesDir,
  mlflowAuthorization,
  namingRecipe,
  planRun,
  type Recipe,
  type RunGpus,
  type RunReport,
  readRecipe,
  recipeForGpus,
  reportRun,
  reseededSource,
  runFolderName,
  train,
} from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { downloadBar } from "../../display/download-bar.js";
import type { JsonOutput } from "../../display/json-output.js";
import { planText } from "../../display/plan-text.js";
import { reportText } from "../../display/report-text.js";
import { openScreen } from "../../display/screen.js";
import { TrainDisplay } from "../../display/train-display.js";
import { parseWhole } from "../../input/key-values.js";
import { stopSignal } from "../../input/signals.js";
import { documentPath } from "../../installation/document-path.js";
import { gpuNotice } from "../../installation/gpu-notice.js";
import { modelCache } from "../../models/model-cache.js";
import { runInProcess } from "../../training/in-process-run.js";
import { runOutput, trainOutput } from "../../training/run-output.js";
import { stoppedRun } from "../../training/stopped-run.js";
import { addTrainReplay } from "./train-replay.js";
import { addTrainSft } from "./train-sft.js";

export interface RunOptions {
  readonly runDir?: string;
  readonly report?: string;
  readonly json?: boolean;
  readonly shuffleRewards?: boolean;
  readonly seed?: number;
  readonly steps?: number;
}

/** Options of every command that runs a recipe. */
export function withRunOptions(command: Command, output: JsonOutput): Command {
  return command
    .option(
      "--run-dir <folder>",
      "folder of checkpoints, metrics and report; an existing run of this recipe in it is resumed",
    )
    .option("--report <file.json>", "also writes the result as JSON")
    .addOption(output.option("prints the result as JSON on standard output, and progress on standard error"))
    .option(
      "--seed <n>",
      "seed of the run: changes training questions (for a file: their order), sampling and shuffles, but not the evaluation",
      parseWhole,
    )
    .option("--steps <n>", "replaces the recipe's number of steps", parseWhole)
    .option("--shuffle-rewards", "shuffles rewards among episodes, as a control that must not learn");
}

const mostGpusOfMachine = 16;

/** Reads a number of GPUs of one machine, or `NODESxN`. */
function parseGpus(text: string): RunGpus {
  const [, nodes = "1", gpusPerNode = "0"] = /^(?:(\d{1,4})x)?(\d{1,2})$/.exec(text) ?? [];
  const gpus = { nodes: Number(nodes), gpusPerNode: Number(gpusPerNode) };
  if (gpus.nodes > 0 && gpus.gpusPerNode > 0 && gpus.gpusPerNode <= mostGpusOfMachine) return gpus;
  // Who has 32 GPUs has them in several machines, between which gradients take another way.
  const large =
    gpus.gpusPerNode > mostGpusOfMachine ? `, and machines have at most ${mostGpusOfMachine}` : "";
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `--gpus is ${JSON.stringify(text)}${large}; give GPUs of one machine, such as 8, or machines and GPUs of each, such as 4x8`,
  );
}

/** What planning a recipe needs of this machine. */
function planOptions(signal: AbortSignal, bar: { readonly show: (progress: DownloadProgress) => void }) {
  return {
    ...modelCache(),
    memoryBytes: ownMemoryBytes(),
    gpuBytes: gpuMemory().gpuMemoryBytes,
    environment: process.env,
    signal,
    onProgress: bar.show,
  };
}

export function recipeWith(recipe: Recipe, options: RunOptions): Recipe {
  const { train } = recipe;
  const seeded = options.seed === undefined ? recipe : reseeded(recipe, options.seed);
  return { ...seeded, train: { ...train, steps: options.steps ?? train.steps } };
}

/** Changes the seed of a recipe: other training questions, sampling and shuffles, but the same evaluation. */
function reseeded(recipe: Recipe, seed: number): Recipe {
  const { data, learner, curriculum } = recipe;
  return {
    ...recipe,
    seed,
    learner: { ...learner, seed },
    data: reseededSource(data, seed),
    curriculum: {
      ...curriculum,
      mix: curriculum.mix.map((part) => ({ ...part, data: reseededSource(part.data, seed) })),
    },
  };
}

/** Runs a recipe on a cluster with a display for a terminal or a log, and reports its end. */
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
  const unused = gpuNotice(recipe);
  if (unused !== undefined) process.stderr.write(`warning: ${unused}\n`);
  const screen = openScreen(display, options.json ? process.stderr : process.stdout);
  let report: RunReport;
  try {
    const result = await train({
      cluster,
      recipe,
      runDir,
      models: modelCache(),
      shuffleRewards,
      signal,
      mlflowAuthorization: mlflowAuthorization(process.env),
      onEvent: (event) => screen.onEvent(event),
    });
    report = await reportRun(recipe, result, shuffleRewards);
    screen.onEvent({ kind: "phase", phase: "done", total: 1 });
    screen.onEvent({ kind: "progress", phase: "done", done: 1, total: 1 });
  } catch (reason) {
    throw signal.aborted ? stoppedRun(signal.reason, runDir) : reason;
  } finally {
    screen.close();
  }
  if (options.report) writeFileSync(options.report, `${JSON.stringify(report, null, 2)}\n`);
  if (options.json) runOutput.print(report);
  else process.stdout.write(reportText(report, documentPath("guides/newcomer.md")));
  return report;
}

interface DryRunOptions {
  readonly dryRun?: boolean;
  readonly inProcess?: boolean;
  readonly memory?: number;
  readonly gpus?: RunGpus;
}

/** Prints what a run needs, and starts nothing. Exits with code 1 if the recipe cannot run. */
export async function dryRun(
  recipe: Recipe,
  options: RunOptions & DryRunOptions,
  signal: AbortSignal,
): Promise<void> {
  const { memory } = options;
  if (memory !== undefined && !(memory > 0)) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--memory is ${memory}; give a number of GiB above 0, such as 64`,
    );
  }
  const bar = downloadBar("model", process.stderr);
  const asked =
    memory === undefined ? recipe.plan : { questionTokens: 32, ...recipe.plan, memoryGib: memory };
  const plan = await planRun(asked === undefined ? recipe : { ...recipe, plan: asked }, {
    ...planOptions(signal, bar),
    onNotice: (text) => process.stderr.write(`${text}\n`),
  }).finally(bar.close);
  if (options.report) writeFileSync(options.report, `${JSON.stringify(plan, null, 2)}\n`);
  if (options.json) runOutput.print(plan);
  else process.stdout.write(planText(plan));
  if (plan.problems.length > 0) process.exitCode = 1;
}

/** Returns the memory of the machine, or of the container in which this process runs. */
function ownMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

async function forGpus(recipe: Recipe, gpus: RunGpus, signal: AbortSignal): Promise<Recipe> {
  const bar = downloadBar("model", process.stderr);
  return await recipeForGpus(recipe, gpus, planOptions(signal, bar)).finally(bar.close);
}

export function addTrain(program: Command): void {
  const command = withRunOptions(withConnection(program.command("train")), trainOutput);
  addTrainSft(command);
  addTrainReplay(command);
  command
    .description("runs a training recipe on a cluster, with this process as its driver")
    .argument(
      "<recipe.yaml>",
      `the recipe; those of the installation are in ${relative("", builtinRecipesDir) || "."}, such as quickstart.yaml`,
    )
    .option(
      "--dry-run",
      "checks recipe, model, tokenizer and data, prints what the run needs, and starts nothing; no cluster is needed",
    )
    .option(
      "--in-process",
      "trains in this process only, for debuggers: no cluster, no files except --report, and the same numbers",
    )
    .option(
      "--gpus <n>",
      "GPUs of one machine, or MACHINESxN: splits them between learner and rollout actors so that the run takes the least time; the recipe's own split is then ignored",
      parseGpus,
    )
    .option(
      "--memory <GiB>",
      "memory available to the run, for --dry-run; default: the recipe's plan, or this machine's memory",
      Number,
    )
    .action(async (file: string, options: ConnectionOptions & RunOptions & DryRunOptions) => {
      const recipe = recipeWith(readRecipe(file).recipe, options);
      await run(recipe, options).catch((reason: unknown) => {
        throw namingRecipe(file, reason);
      });
    });
}

async function run(given: Recipe, options: ConnectionOptions & RunOptions & DryRunOptions): Promise<void> {
  const signal = stopSignal();
  const recipe = options.gpus === undefined ? given : await forGpus(given, options.gpus, signal);
  if (options.dryRun) await dryRun(recipe, options, signal);
  else if (options.inProcess) {
    refuseOfCluster(options);
    await runInProcess(recipe, options, signal);
  } else
    await withCluster(options, `train ${recipe.name}`, async (cluster) => {
      await runRecipe(cluster, recipe, options, signal);
    });
}

/** @throws {PalimpsestError} INVALID_ARGUMENT where a flag would be ignored in one process */
function refuseOfCluster(options: ConnectionOptions & RunOptions): void {
  const { runDir, address, token, tls, dataDir } = options;
  if (runDir !== undefined)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--run-dir ${runDir}: a run in one process leaves no folder; \`palimpsest dev -- palimpsest train RECIPE --run-dir ${shellWord(runDir)}\` leaves one, or leave --run-dir out`,
    );
  const flags = { "--address": address, "--token": token, "--tls": tls, "--data-dir": dataDir };
  const [given] = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (given !== undefined)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${given} is given with --in-process, which asks no cluster: give one of the two`,
    );
}
