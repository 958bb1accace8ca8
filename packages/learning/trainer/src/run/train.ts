/**
 * Responsibility: one run, from base model to report: spawns the actors, dispatches a step's groups, has the learner train
 * them, evaluates before and after. The whole loop is `trainSteps` (train-steps.ts).
 * Not responsible for: anything that must survive this process; the learner's checkpoint and the queues hold that.
 *
 * TRAIN-1 (T1). A group's id is derived from the run, the step and the group's index in the step, so that a driver
 *   that dispatches it again changes nothing.
 * TRAIN-2 (T6). Tasks and seeds depend only on the recipe's seed and the step.
 * TRAIN-3. After the death of the learner the driver requests the step again, and the learner performs it once.
 */
import { agentKindOf } from "@palimpsest/agents";
import type { Cluster } from "@palimpsest/client";
import type { TaskSet } from "@palimpsest/datasets";
import type { Evaluation, Trace } from "@palimpsest/evals";
import { type RunCounts, RunQueues } from "@palimpsest/trajectories";
import { superviseModel } from "../demonstrations/supervised-start.js";
import {
  carryModules,
  keptRecipe,
  openRecipeModules,
  type RecipeModules,
} from "../modules/recipe-modules.js";
import { bringModel } from "../parts/starting-model.js";
import { type HeldFigure, heldPlan, plannedRun } from "../plan/held-plan.js";
import { otherRates } from "../rates/rates-of-run.js";
import type { RatedStep } from "../recipe/evaluation-standing.js";
import type { ModelCache } from "../recipe/model-source.js";
import { recipeNotices } from "../recipe/recipe-notices.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { trainingTasks } from "../recipe/recipe-tasks.js";
import type { StepReport, TrainListener } from "../records/event.js";
import { runSpec } from "../records/run-spec.js";
import { writeEvaluationTraces } from "../records/step-traces.js";
import { TrainingEvaluations } from "../records/training-evaluations.js";
import { openRunFolder, type RunFolder } from "../run-folder/run-folder.js";
import { resolveStart, supervisedFolder } from "../run-folder/run-model.js";
import { checkpointDirOf, tracesDirOf } from "../run-folder/run-paths.js";
import { whileTracked } from "../trackers/track-run.js";
import { keepLasting, lastingObjects } from "../weights/lasting-objects.js";
import type { Parameters } from "../weights/weights.js";
import { waitingFor, watchDisk } from "./disk-waiting.js";
import {
  closeEvaluation,
  type EvaluationRun,
  evaluate,
  type LengthTasks,
  openEvaluation,
} from "./evaluation.js";
import { overlapNotices } from "./evaluation-overlap.js";
import { type ProcessRow, processesOf } from "./processes.js";
import { memoryOf, type RunActors, spawnRunActors } from "./run-actors.js";
import { whileRunActorsLive } from "./run-actors-watch.js";
import { exampleOf, trainedWeights } from "./run-outcome.js";
import { trainSteps } from "./train-steps.js";
import { lookOften, watchRun } from "./watch-run.js";

/** What `train` needs besides the recipe: a connected cluster and folders. */
export interface TrainOptions {
  readonly cluster: Cluster;
  readonly recipe: Recipe;
  readonly runDir: string;
  /** Cache folder for named models and models from a hub. */
  readonly models: ModelCache;
  /** Shuffles the rewards within each step: a control run that must not learn. */
  readonly shuffleRewards: boolean;
  readonly onEvent: TrainListener;
  readonly signal: AbortSignal;
  /** Value of the authorization header for MLflow trackers, see `mlflowAuthorization`. */
  readonly mlflowAuthorization?: string | undefined;
}

/** Where a finished run left its model, and its evaluations. */
export interface TrainResult {
  readonly runDir: string;
  /** The model that the run started from. */
  readonly modelFolder: string;
  readonly checkpoint: string;
  readonly before: Evaluation | undefined;
  readonly after: Evaluation | undefined;
  /** One episode of the trained policy on a question of the second length. */
  readonly example: Trace | undefined;
  readonly steps: readonly StepReport[];
  /** Results of the evaluations during training; empty without `evaluation.everySteps`. */
  readonly evaluations: readonly RatedStep[];
  readonly best: RatedStep | undefined;
  readonly secondsByPhase: Readonly<Record<string, number>>;
  readonly counts: RunCounts;
  readonly processes: readonly ProcessRow[];
  readonly backend: string;
  readonly parameters: Parameters;
  /** The dry run's plan, compared with the measurements. */
  readonly plan: readonly HeldFigure[];
}

/** @throws {PalimpsestError}; the signal's reason */
export async function train(options: TrainOptions): Promise<TrainResult> {
  const { recipe, onEvent, signal } = options;
  onEvent({ kind: "phase", phase: "starting", total: 1 });
  for (const text of recipeNotices(recipe)) onEvent({ kind: "notice", text });
  const modules = await openRecipeModules(recipe, {
    signal,
    onNotice: (text) => onEvent({ kind: "notice", text }),
  });
  const folder = await openRunFolder(options.runDir, recipe, options.shuffleRewards, modules.built, {
    waiting: waitingFor(options.runDir, onEvent, signal),
  });
  const tasks = await trainingTasks(recipe, signal, { module: modules.loaded.data });
  let lengths: readonly LengthTasks[] = [];
  const endWatch = watchDisk(folder.path, onEvent);
  try {
    lengths = await openEvaluation(recipe, signal);
    for (const text of await overlapNotices(recipe, tasks, lengths, signal))
      onEvent({ kind: "notice", text });
    const { runId, startedAtMs } = folder;
    const { mlflowAuthorization } = options;
    return await whileTracked(
      { recipe, runId, startedAtMs, onEvent, signal, mlflowAuthorization },
      (onTracked) => trainOn({ ...options, onEvent: onTracked }, folder, tasks, lengths, modules),
    );
  } finally {
    endWatch();
    await tasks.close();
    await closeEvaluation(lengths);
  }
}

async function trainOn(
  options: TrainOptions,
  folder: RunFolder,
  tasks: TaskSet,
  lengths: readonly LengthTasks[],
  { built, loaded }: RecipeModules,
): Promise<TrainResult> {
  const { cluster, recipe, onEvent, signal } = options;
  const seconds: Record<string, number> = {};
  const timed = async <T>(phase: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      seconds[phase] = (seconds[phase] ?? 0) + (performance.now() - startedAt) / 1000;
    }
  };
  const resolvedFolder = await timed("resolving the model", () =>
    resolveStart(recipe.model, folder.path, {
      ...options.models,
      signal,
      onProgress: (progress) => onEvent({ kind: "download", ...progress }),
    }),
  );
  const modelFolder = await timed("learning demonstrations", () =>
    afterDemonstrations(options, resolvedFolder, folder.path),
  );
  const bring = async () => ({
    ...(await bringModel(cluster.objects, modelFolder, folder.runId, recipe.model.ignoreConfig)),
    modules: await carryModules(cluster.objects, built),
  });
  const base = await timed("storing the base model", bring);
  const { weightsHash } = base.weights;
  const differing = await otherRates(recipe, built, { weightsHash, signal });
  if (differing !== undefined) onEvent({ kind: "notice", text: differing });
  const spec = runSpec(keptRecipe(recipe, built), folder, base);
  const queues = await RunQueues.open({
    redisUrl: cluster.facts.redisUrl,
    clusterId: cluster.facts.clusterId,
    runId: folder.runId,
    settings: spec.queues,
  });
  const watch = watchRun(cluster, queues, onEvent);
  const lasting = lastingObjects(base.text, base.weights, base.modules);
  const keep = lookOften(async () => {
    const brought = await keepLasting(lasting, (wanted) => cluster.missingObjects(wanted), bring);
    if (brought)
      onEvent({ kind: "notice", text: "the base model and tokenizer were copied to another node" });
  });
  try {
    const actors = await timed("starting", () => spawnRunActors(cluster, spec, signal));
    const { policyVersion: start, schedule, last: answered } = await actors.learner.state();
    const evaluated = (phase: "evaluating before" | "evaluating after", version: number) =>
      timed(phase, () => evaluatePhase(options, { actors, lengths, folder }, phase, version));
    const before = await folder.once("before.json", start === 0, () => evaluated("evaluating before", 0));
    const evaluations = await TrainingEvaluations.open(
      {
        recipe,
        folder,
        evaluate: (policyVersion, living) =>
          evaluate({
            rollouts: actors.rollouts,
            recipe,
            lengths,
            policyVersion,
            signal: living,
            onProgress() {},
            ...tracesOf(options, folder, policyVersion),
          }),
        rate: (rating) => actors.learner.rateVersion(rating),
        onEvaluated: (report) => onEvent({ kind: "evaluation", report }),
      },
      before,
    );
    const agentName = agentKindOf(recipe.agent, loaded.agent).kind;
    const steps = await timed("training", () =>
      whileRunActorsLive(cluster, actors, signal, (living) =>
        trainSteps({
          ...options,
          folder,
          agentName,
          tasks,
          evaluations,
          queues,
          actors,
          start,
          schedule,
          answered,
          signal: living,
        }),
      ),
    );
    const state = await actors.learner.state();
    const last = state.policyVersion;
    const after = await (recipe.evaluation?.everySteps === undefined
      ? evaluated("evaluating after", last)
      : timed("evaluating after", () => evaluations.at(last, signal)));
    const measured = { steps, ...(await memoryOf(actors)) };
    const planned = await plannedRun({
      ...{ recipe, modelFolder, tasks, agent: loaded.agent, signal },
      gpuBytes: measured.learner?.gpuBytes,
    });
    const result = {
      runDir: folder.path,
      modelFolder,
      checkpoint: state.checkpoint,
      before,
      after,
      example: await exampleOf(actors, lengths, last),
      steps,
      evaluations: evaluations.rated,
      best: evaluations.standing.best,
      secondsByPhase: seconds,
      counts: await queues.ledger.counts(),
      processes: await processesOf(cluster),
      backend: `${state.backend} (${state.mode}, ${state.precision})`,
      parameters: await trainedWeights(cluster, queues, spec, actors),
      plan: heldPlan(recipe, planned, measured),
    };
    await queues.retire();
    return result;
  } finally {
    watch.close();
    keep.close();
    await queues.close();
  }
}

/** Returns the folder of the initial model; for a recipe with `start`, the model fine-tuned on its demonstrations. */
async function afterDemonstrations(
  { recipe, signal, onEvent }: TrainOptions,
  modelFolder: string,
  runDir: string,
): Promise<string> {
  if (recipe.start === undefined) return modelFolder;
  const outDir = supervisedFolder(runDir);
  let told = 0;
  const { rows, steps, loss } = await superviseModel({
    modelFolder,
    settings: recipe.start,
    ignoreConfig: recipe.model.ignoreConfig,
    outDir,
    // The run's folder was created with this recipe; otherwise opening it would have failed.
    ownFolder: true,
    threads: recipe.learnerThreads,
    signal,
    onProgress: (progress) => {
      const tenth = Math.floor((10 * progress.step) / progress.steps);
      if (tenth === told) return;
      told = tenth;
      const at = `step ${progress.step}/${progress.steps}, loss ${progress.loss.toFixed(4)}`;
      onEvent({ kind: "notice", text: `learning demonstrations: ${at}` });
    },
  });
  const end = loss === undefined ? "" : `, loss ${loss.toFixed(4)}`;
  onEvent({
    kind: "notice",
    text: `learned ${rows} demonstrations in ${steps} step${steps === 1 ? "" : "s"}${end}`,
  });
  return outDir;
}

/** Keeps traces of an evaluation beside those of steps; a failure to write them does not fail the run. */
function tracesOf(
  { recipe, onEvent }: Pick<TrainOptions, "recipe" | "onEvent">,
  { path }: Pick<RunFolder, "path">,
  version: number,
): Pick<EvaluationRun, "onTraces"> {
  const { keepTraces: keepLast } = recipe.train;
  if (keepLast === 0) return {};
  return {
    onTraces: async (traces) => {
      try {
        await writeEvaluationTraces(tracesDirOf(checkpointDirOf(path)), version, traces, { keepLast });
      } catch (reason) {
        const why = reason instanceof Error ? reason.message : String(reason);
        onEvent({
          kind: "notice",
          text: `the traces of the evaluation of version ${version} were not written: ${why}`,
        });
      }
    },
  };
}

async function evaluatePhase(
  options: TrainOptions,
  { actors, lengths, folder }: EvaluatedRun,
  phase: "evaluating before" | "evaluating after",
  policyVersion: number,
): Promise<Evaluation | undefined> {
  const { recipe, onEvent, signal } = options;
  if (lengths.length === 0) return undefined;
  const samples = recipe.evaluation?.samples ?? 1;
  onEvent({
    kind: "phase",
    phase,
    total: samples * lengths.reduce((sum, { tasks }) => sum + tasks.count, 0),
  });
  return await evaluate({
    rollouts: actors.rollouts,
    recipe,
    lengths,
    policyVersion,
    signal,
    onProgress: (done, total) => onEvent({ kind: "progress", phase, done, total }),
    ...tracesOf(options, folder, policyVersion),
  });
}

interface EvaluatedRun {
  readonly actors: RunActors;
  readonly lengths: readonly LengthTasks[];
  readonly folder: Pick<RunFolder, "path">;
}
