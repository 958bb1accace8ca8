import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Evaluation, type LengthResult, writeReport } from "@palimpsest/evals";
import { loadConfig, loadGenerationConfig, loadTokenizer, saveModel } from "@palimpsest/model";
import { durableFiles } from "@palimpsest/std/files";
import { learnerSettings } from "../parts/learner-settings.js";
import { type HeldFigure, heldText } from "../plan/held-plan.js";
import { engineCount } from "../recipe/engine-settings.js";
import type { RatedStep } from "../recipe/evaluation-standing.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { StepReport } from "../records/event.js";
import { checkpointDirOf, tracesDirOf } from "../run-folder/run-paths.js";
import type { ProcessRow } from "./processes.js";
import type { TrainResult } from "./train.js";

/** The results of a finished run, for people and programs. */
export interface RunReport {
  readonly recipe: string;
  readonly seed: number;
  readonly shuffleRewards: boolean;
  readonly backend: string;
  /** Share of right answers at the training length, in [0, 1]; null if nothing was evaluated. */
  readonly exactMatchBefore: number | null;
  readonly exactMatchAfter: number | null;
  readonly exactMatchByLength: readonly LengthRow[];
  /** Mean reward of each step; only of the steps since it was resumed, if it was. */
  readonly rewardCurve: readonly number[];
  /** Number of steps of the run, including those before it was resumed. */
  readonly steps: number;
  /** Results of the evaluations during training, by step; empty without `evaluation.everySteps`. */
  readonly evaluations: readonly RatedStep[];
  /** The best of them; null if there is none. */
  readonly best: RatedStep | null;
  /** Mean reward by category of the last step's tasks; empty if they have no categories. */
  readonly rewardByCategory: Readonly<Record<string, number>>;
  readonly secondsByPhase: Readonly<Record<string, number>>;
  /** Means over the run's steps. */
  readonly samplerTokensPerSecond: number;
  readonly learnerTokensPerSecond: number;
  /** Difference between the sampler's and the learner's log-probs over the run's tokens, before the update changes the weights. */
  readonly logprobDifference: LogprobDifference;
  readonly processes: readonly ProcessRow[];
  readonly groupsDispatched: number;
  readonly groupsTrained: number;
  readonly groupsFailed: number;
  /** The dry run's plan, compared with the measurements. */
  readonly plan: readonly HeldFigure[];
  readonly checkpoint: string;
  readonly model: string;
  /** Folder of the trajectories of the run's last steps; null where none were kept. */
  readonly traces: string | null;
  readonly files: readonly string[];
}

/** Scores of the untrained and the trained policy on documents of one length. */
export interface LengthRow {
  readonly lengthTokens: number;
  /** Document length in multiples of the training length. */
  readonly factor: number;
  readonly tasks: number;
  /** Exact match; null if the reward does not report it. */
  readonly before: number | null;
  readonly after: number | null;
  readonly interval: readonly [number, number] | null;
  /** Mean reward, which may differ from exact match. */
  readonly rewardBefore: number | null;
  readonly rewardAfter: number;
  /**
   * Exact match divided by that at the training length; mean rewards are divided if the reward does not report exact
   * match; null if the divisor is 0.
   */
  readonly share: number | null;
  readonly microsecondsPerDocumentToken: number;
  readonly peakRssMib: number;
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the lengths of the evaluation as multiples of the first one or of the training length. */
function lengthFactors({ evaluation }: Recipe): readonly number[] {
  const { files } = evaluation ?? {};
  const first = files?.[0]?.lengthTokens ?? 1;
  return files?.map(({ lengthTokens }) => lengthTokens / first) ?? evaluation?.lengths ?? [];
}

function lengthRows(
  before: Evaluation | undefined,
  after: Evaluation | undefined,
  factors: readonly number[],
): LengthRow[] {
  const measure = ({ exactMatch, meanReward }: LengthResult) => exactMatch ?? meanReward;
  const [first] = after?.lengths ?? [];
  const home = first === undefined ? 0 : measure(first);
  return (after?.lengths ?? []).map((length, index) => ({
    lengthTokens: length.lengthTokens,
    factor: factors[index] ?? 1,
    tasks: length.n,
    before: before?.lengths[index]?.exactMatch ?? null,
    after: length.exactMatch,
    interval: length.exactMatchInterval && [length.exactMatchInterval.low, length.exactMatchInterval.high],
    rewardBefore: before?.lengths[index]?.meanReward ?? null,
    rewardAfter: length.meanReward,
    share: home > 0 ? measure(length) / home : null,
    microsecondsPerDocumentToken: length.microsecondsPerDocumentToken,
    peakRssMib: length.peakRssBytes / 2 ** 20,
  }));
}

async function tracesOf(runDir: string): Promise<string | null> {
  const folder = tracesDirOf(checkpointDirOf(runDir));
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name.endsWith(".jsonl")) ? folder : null;
}

/** Saves the trained model and writes the report's files next to the checkpoints. */
export async function reportRun(
  recipe: Recipe,
  result: TrainResult,
  shuffleRewards: boolean,
): Promise<RunReport> {
  const modelDir = join(result.runDir, "model");
  const generationConfig = await loadGenerationConfig(result.modelFolder);
  await saveModel(modelDir, {
    config: await loadConfig(result.modelFolder, recipe.model),
    tokenizer: await loadTokenizer(result.modelFolder),
    parameters: result.parameters,
    ...(generationConfig === undefined ? {} : { generationConfig }),
  });
  const steps = result.steps;
  // A resumed run reports only its own steps.
  const lastStep = steps.at(-1)?.step ?? recipe.train.steps;
  const rewardByCategory = steps.at(-1)?.rewardByCategory ?? {};
  const { before, after } = result;
  const facts = {
    recipe: recipe.name,
    seed: recipe.seed,
    backend: result.backend,
    steps: lastStep,
    ...(result.best
      ? {
          [`best ${recipe.evaluation?.metric}`]: `${result.best.value.toFixed(4)} after step ${result.best.step}`,
        }
      : {}),
    ...Object.fromEntries(
      Object.entries(rewardByCategory).map(([category, mean]) => [
        `reward of ${category} in the last step`,
        mean.toFixed(3),
      ]),
    ),
    ...engineFacts(recipe, steps),
    ...Object.fromEntries(result.plan.map((figure) => [`plan: ${figure.what}`, heldText(figure)])),
    "groups trained": result.counts.groups.trained,
    "groups failed": result.counts.groups.failed,
    ...Object.fromEntries(
      Object.entries(result.secondsByPhase).map(([phase, seconds]) => [
        `seconds ${phase}`,
        seconds.toFixed(1),
      ]),
    ),
  };
  const trainingLengthTokens = after?.lengths[0]?.lengthTokens;
  const files = after
    ? await writeReport(join(result.runDir, "report"), {
        title: `${recipe.name}: ${recipe.agent.kind} trained with GRPO${shuffleRewards ? " on shuffled rewards (control)" : ""}`,
        facts,
        ...(before ? { before } : {}),
        after,
        ...(trainingLengthTokens === undefined ? {} : { trainingLengthTokens }),
        rewardCurve: steps.map(({ step, rewardMean }) => ({ step, reward: rewardMean })),
        ...(result.example ? { example: result.example } : {}),
      })
    : [];
  const rows = lengthRows(before, after, lengthFactors(recipe));
  const summary = join(result.runDir, "summary.json");
  const report: RunReport = {
    recipe: recipe.name,
    seed: recipe.seed,
    shuffleRewards,
    backend: result.backend,
    exactMatchBefore: rows[0]?.before ?? null,
    exactMatchAfter: rows[0]?.after ?? null,
    exactMatchByLength: rows,
    rewardCurve: steps.map(({ rewardMean }) => rewardMean),
    steps: lastStep,
    evaluations: result.evaluations,
    best: result.best ?? null,
    rewardByCategory,
    secondsByPhase: result.secondsByPhase,
    samplerTokensPerSecond: mean(steps.map((step) => step.samplerTokensPerSecond)),
    learnerTokensPerSecond: mean(steps.map((step) => step.learnerTokensPerSecond)),
    logprobDifference: logprobDifference(recipe, steps),
    processes: result.processes,
    groupsDispatched: result.counts.groups.dispatched,
    groupsTrained: result.counts.groups.trained,
    groupsFailed: result.counts.groups.failed,
    plan: result.plan,
    checkpoint: result.checkpoint,
    model: modelDir,
    traces: await tracesOf(result.runDir),
    files: [...files, summary],
  };
  await durableFiles.write(summary, Buffer.from(`${JSON.stringify(report, null, 2)}\n`));
  return report;
}

/** The difference between two computations of the same log-probs, nats per token. */
interface LogprobDifference {
  /** Mean over all tokens of the run. */
  readonly mean: number;
  /** The largest of the steps' differences that one token of a hundred exceeds. */
  readonly p99: number;
  /** Largest difference of a single token. */
  readonly most: number;
  /** KL of the sampler's distribution from the learner's, mean over all tokens. */
  readonly kl: number;
  /** The mean over eight updates above which the run stops; null: it never does. */
  readonly limit: number | null;
}

type Updated = {
  readonly update: Pick<
    StepReport["update"],
    | "freshTokens"
    | "freshLogprobDifferenceMean"
    | "freshLogprobDifferenceP99"
    | "freshKlK3"
    | "logprobDifferenceMax"
  >;
};

function logprobDifference(recipe: Recipe, steps: readonly Updated[]): LogprobDifference {
  const updates = steps.map(({ update }) => update);
  const tokens = updates.reduce((sum, { freshTokens }) => sum + freshTokens, 0);
  const meanOf = (name: "freshLogprobDifferenceMean" | "freshKlK3") =>
    updates.reduce((sum, update) => sum + update.freshTokens * update[name], 0) / Math.max(tokens, 1);
  const mostOf = (name: "freshLogprobDifferenceP99" | "logprobDifferenceMax") =>
    updates.reduce((most, update) => Math.max(most, update[name]), 0);
  return {
    mean: meanOf("freshLogprobDifferenceMean"),
    p99: mostOf("freshLogprobDifferenceP99"),
    most: mostOf("logprobDifferenceMax"),
    kl: meanOf("freshKlK3"),
    limit: learnerSettings(recipe).maxLogprobDifference ?? null,
  };
}

/** Facts about a run's engines for its report; empty if it had none. */
function engineFacts(recipe: Recipe, steps: readonly Updated[]): Record<string, string> {
  const { engine } = recipe.rollout;
  if (engine === undefined) return {};
  const { mean, most } = logprobDifference(recipe, steps);
  return {
    engines: `${engineCount(engine)} of kind ${engine.kind}`,
    "log-probs of engine and learner": `${mean.toExponential(1)} nats per token apart on average, ${most.toExponential(1)} at most`,
  };
}
