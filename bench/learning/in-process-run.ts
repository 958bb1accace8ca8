/**
 * Responsibility: a run of `trainInProcess` with evaluations before, between and after its steps.
 * Not responsible for: the loop itself, files, tables.
 */
import type { Agent } from "../../packages/learning/agents/src/index.js";
import { allTasks } from "../../packages/learning/datasets/src/index.js";
import {
  documentText,
  itemOfTask,
  rewardedPrediction,
  rewardScorer,
  runSuite,
  type System,
  taskOfItem,
} from "../../packages/learning/evals/src/index.js";
import type { UpdateMetrics } from "../../packages/learning/learner/src/index.js";
import type { ModelFolder } from "../../packages/learning/model/src/index.js";
import type { TrajectoryReward } from "../../packages/learning/rewards/src/index.js";
import type { Recipe } from "../../packages/learning/trainer/src/recipe/recipe-schema.js";
import { openEvaluation } from "../../packages/learning/trainer/src/run/evaluation.js";
import {
  type InProcessPolicy,
  trainInProcess,
} from "../../packages/learning/trainer/src/run/train-in-process.js";
import type { Task } from "../../packages/learning/trajectories/src/index.js";

/** Questions that are asked before, during and after training; none of them is trained on. */
export interface EvaluationSet {
  readonly name: string;
  readonly tasks: readonly Task[];
  /** Temperature of sampling. Default: the recipe's, or 0. */
  readonly temperature?: number;
}

/** Means over a set's questions; a failed episode counts as zero. */
export interface SetResult {
  readonly name: string;
  readonly n: number;
  readonly failures: number;
  /** The means of `reward`, the reward's components and the agent's counters. */
  readonly measures: Readonly<Record<string, number>>;
}

export interface CurvePoint {
  /** The number of updates done. */
  readonly step: number;
  readonly sets: readonly SetResult[];
}

export interface InProcessRun {
  readonly recipe: Recipe;
  readonly seed: number;
  readonly shuffleRewards?: boolean;
  readonly threads?: number;
  /** The training questions. Default: the recipe's. */
  readonly tasks?: readonly Task[];
  /** The evaluation sets. Default: the recipe's evaluation, one set per length, named by its tokens. */
  readonly sets?: readonly EvaluationSet[];
  /** Updates between evaluations. Default: evaluation before and after training only. */
  readonly evaluateEvery?: number;
  readonly onStep?: (
    update: UpdateMetrics,
    step: number,
    secondsRollout: number,
    policy: InProcessPolicy,
  ) => void;
  readonly onEvaluation?: (point: CurvePoint) => void;
  /** Ends the run. */
  readonly signal?: AbortSignal;
}

export interface InProcessResult {
  /** The first point is before any update, the last after all of them. */
  readonly curve: readonly CurvePoint[];
  /** Mean training reward of each step. */
  readonly rewards: readonly number[];
  /** The folder of the trained policy. */
  readonly model: ModelFolder;
}

export async function runInProcess(run: InProcessRun): Promise<InProcessResult> {
  const { recipe, seed, threads = 1, signal } = run;
  const sets = run.sets ?? (await recipeSets(recipe));
  const { steps } = recipe.train;
  const curve: CurvePoint[] = [];
  const rewards: number[] = [];
  const evaluate = async (step: number, { agent, reward }: InProcessPolicy) => {
    const results: SetResult[] = [];
    for (const set of sets) results.push(await evaluateSet(agent, reward, set, recipe, signal));
    const point = { step, sets: results };
    curve.push(point);
    run.onEvaluation?.(point);
  };
  const { model } = await trainInProcess({
    recipe: { ...recipe, seed },
    threads,
    ...(signal ? { signal } : {}),
    ...(run.shuffleRewards === undefined ? {} : { shuffleRewards: run.shuffleRewards }),
    ...(run.tasks === undefined ? {} : { tasks: run.tasks }),
    onStart: (policy) => evaluate(0, policy),
    onStep: async ({ step, update, rolloutSeconds, failures }, policy) => {
      if (failures.length > 0) throw new Error(`step ${step}: ${failures[0]}`);
      rewards.push(update.rewardMean);
      run.onStep?.(update, step - 1, rolloutSeconds, policy);
      if (step === steps || (run.evaluateEvery !== undefined && step % run.evaluateEvery === 0))
        await evaluate(step, policy);
    },
  });
  return { curve, rewards, model };
}

/** The recipe's evaluation, one set for each length. */
async function recipeSets(recipe: Recipe): Promise<EvaluationSet[]> {
  const sets: EvaluationSet[] = [];
  for (const { lengthTokens, tasks } of await openEvaluation(recipe))
    sets.push({ name: String(lengthTokens), tasks: await allTasks(tasks) });
  return sets;
}

async function evaluateSet(
  agent: Agent,
  reward: TrajectoryReward,
  { name, tasks, ...set }: EvaluationSet,
  recipe: Recipe,
  signal: AbortSignal | undefined,
): Promise<SetResult> {
  const { seed = 0 } = recipe.evaluation ?? {};
  const temperature = set.temperature ?? recipe.evaluation?.temperature ?? 0;
  const system: System = {
    name: agent.name,
    settings: {},
    answer: async (item, { signal, seed: itemSeed }) =>
      await rewardedPrediction(agent, reward, taskOfItem(item, await documentText(item)), {
        temperature,
        seed: itemSeed,
        signal,
      }),
  };
  const run = await runSuite({
    suite: recipe.name,
    items: tasks.map((task) => itemOfTask(task)),
    systems: [system],
    scorer: rewardScorer,
    concurrency: tasks.length,
    seed,
    ...(signal ? { signal } : {}),
  });
  const outcomes = run.systems[0]?.outcomes ?? [];
  const sums: Record<string, number> = { reward: 0 };
  for (const { prediction } of outcomes) {
    for (const [key, value] of Object.entries(prediction?.measures ?? {})) {
      const measure = key.replace(/^reward\./, "");
      sums[measure] = (sums[measure] ?? 0) + value;
    }
  }
  return {
    name,
    n: tasks.length,
    failures: outcomes.filter(({ failure }) => failure !== undefined).length,
    measures: Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, sum / tasks.length])),
  };
}
