/**
 * Job: what the trainer's processes do for a recipe, in one process: agent, sampler, reward, learner, evaluations between.
 * Not its job: files, tables, the runtime.
 *
 * The same recipe, seed, backend and number of threads give the same questions and seeds; how the sampler batches may
 * still move a rounding.
 */
import { type Agent, type EpisodeResult, toTrajectory } from "../../packages/agents/src/index.js";
import { allTasks, tasksFromConfig } from "../../packages/datasets/src/index.js";
import {
  type Contestant,
  documentText,
  itemOfTask,
  rewardedPrediction,
  rewardScorer,
  runSuite,
  taskOfItem,
} from "../../packages/evals/src/index.js";
import { loadBackend } from "../../packages/jit/src/index.js";
import { createLearner, type UpdateMetrics } from "../../packages/learner/src/index.js";
import { createSampler, loadModel, type ModelFolder } from "../../packages/model/src/index.js";
import { type TrajectoryReward, trajectoryReward } from "../../packages/rewards/src/index.js";
import { openEvaluation } from "../../packages/trainer/src/evaluation.js";
import { openModelText, readModelText } from "../../packages/trainer/src/model-text.js";
import type { Recipe } from "../../packages/trainer/src/recipe.js";
import { rolloutAgent } from "../../packages/trainer/src/rollout-agent.js";
import {
  episodeSeed,
  type Group,
  type Score,
  type ScoredTrajectory,
  type Task,
} from "../../packages/trajectories/src/index.js";

/** Questions that are asked before, between and after; none of them is trained. */
export interface EvaluationSet {
  readonly name: string;
  readonly tasks: readonly Task[];
  /** Of sampling; absent: the recipe's, or 0. */
  readonly temperature?: number;
}

/** Means over a set's questions; a failed episode counts as nought. */
export interface SetResult {
  readonly name: string;
  readonly n: number;
  readonly failures: number;
  /** `reward`, the reward's components, the agent's counters. */
  readonly measures: Readonly<Record<string, number>>;
}

export interface CurvePoint {
  /** Updates done. */
  readonly step: number;
  readonly sets: readonly SetResult[];
}

export interface InProcessRun {
  readonly recipe: Recipe;
  readonly seed: number;
  readonly shuffleRewards?: boolean;
  readonly threads?: number;
  /** Training questions; absent: the recipe's. */
  readonly tasks?: readonly Task[];
  /** Absent: the recipe's evaluation, one set a length, named by its tokens. */
  readonly sets?: readonly EvaluationSet[];
  /** Updates between evaluations; absent: before and after only. */
  readonly evaluateEvery?: number;
  readonly onStep?: (update: UpdateMetrics, step: number, secondsRollout: number) => void;
  readonly onEvaluation?: (point: CurvePoint) => void;
}

export interface InProcessResult {
  /** First before any update, last after all. */
  readonly curve: readonly CurvePoint[];
  /** Mean training reward, step by step. */
  readonly rewards: readonly number[];
  /** Of the trained policy. */
  readonly model: ModelFolder;
}

export async function runInProcess(run: InProcessRun): Promise<InProcessResult> {
  const { recipe, seed, shuffleRewards = false, threads = 1, onStep } = run;
  const { rollout } = recipe;
  const backend = await loadBackend({ threads });
  if (recipe.model.path === undefined) throw new Error("model.path: in one process only folders are read");
  const { config, parameters } = await loadModel(recipe.model.path);
  const { tokenizer, chat } = openModelText(await readModelText(recipe.model.path), 0);
  const sampler = await createSampler({
    backend,
    config,
    parameters,
    maxBatch: rollout.maxBatch,
    maxLength: rollout.maxTokens,
    prefixCache: rollout.prefixCache,
    precision: rollout.precision,
  });
  const learner = createLearner({
    backend,
    config: recipe.learner,
    model: config,
    parameters,
    objectives: ["policy"],
  });
  const agent = rolloutAgent(recipe, { sampler, tokenizer, ...(chat ? { chat } : {}) });
  const reward = trajectoryReward(recipe.reward.config);
  const tasks = run.tasks ?? (await tasksFromConfig(recipe.data));
  const sets = run.sets ?? (await recipeSets(recipe));

  const group = async (step: number, place: number): Promise<Group> => {
    const index = step * recipe.train.groupsPerStep + place;
    const task = tasks[index % tasks.length] as Task;
    const groupId = `s${String(step).padStart(4, "0")}-g${String(place).padStart(3, "0")}`;
    const { groupSize } = recipe.learner;
    const groupSeed = episodeSeed(seed, index);
    const members = await Promise.all(
      Array.from({ length: groupSize }, async (_, episodeIndex): Promise<ScoredTrajectory> => {
        const { result, score } = await episode(agent, reward, task, {
          seed: episodeSeed(groupSeed, episodeIndex),
          temperature: rollout.temperature,
        });
        const trajectory = toTrajectory(agent.name, result, {
          trajectoryId: `${groupId}/${episodeIndex}`,
          groupId,
          taskId: task.id,
          episodeIndex,
          actorId: "in-process",
        });
        return { trajectory, score };
      }),
    );
    return { groupId, taskId: task.id, groupSize, members };
  };

  const curve: CurvePoint[] = [];
  const evaluate = async (step: number) => {
    const results: SetResult[] = [];
    for (const set of sets) results.push(await evaluateSet(agent, reward, set, recipe));
    const point = { step, sets: results };
    curve.push(point);
    run.onEvaluation?.(point);
  };

  try {
    await evaluate(0);
    const rewards: number[] = [];
    const { steps, groupsPerStep } = recipe.train;
    for (let step = 0; step < steps; step++) {
      const startedAt = performance.now();
      const groups = await Promise.all(
        Array.from({ length: groupsPerStep }, (_, place) => group(step, place)),
      );
      const secondsRollout = (performance.now() - startedAt) / 1000;
      const update = await learner.update(groups, { shuffleRewards });
      await sampler.setWeights(learner.parameters(), learner.policyVersion);
      rewards.push(update.rewardMean);
      onStep?.(update, step, secondsRollout);
      const done = step + 1;
      if (done === steps || (run.evaluateEvery !== undefined && done % run.evaluateEvery === 0))
        await evaluate(done);
    }
    return { curve, rewards, model: { config, tokenizer, parameters: learner.parameters() } };
  } finally {
    await sampler.close();
    learner.close();
  }
}

/** The recipe's evaluation, one set for each length. */
async function recipeSets(recipe: Recipe): Promise<EvaluationSet[]> {
  const sets: EvaluationSet[] = [];
  for (const { lengthTokens, tasks } of await openEvaluation(recipe))
    sets.push({ name: String(lengthTokens), tasks: await allTasks(tasks) });
  return sets;
}

async function episode(
  agent: Agent,
  reward: TrajectoryReward,
  task: Task,
  options: { readonly seed: number; readonly temperature: number },
): Promise<{ readonly result: EpisodeResult; readonly score: Score }> {
  const result = await agent.run(task, options);
  const scored = {
    answer: result.answer,
    memorySteps: result.steps,
    conversations: result.conversations,
    ...(result.storeDiff === undefined ? {} : { storeDiff: result.storeDiff }),
    ...(result.counters === undefined ? {} : { counters: result.counters }),
  };
  return { result, score: await reward(task, scored) };
}

async function evaluateSet(
  agent: Agent,
  reward: TrajectoryReward,
  { name, tasks, ...set }: EvaluationSet,
  recipe: Recipe,
): Promise<SetResult> {
  const { seed = 0 } = recipe.evaluation ?? {};
  const temperature = set.temperature ?? recipe.evaluation?.temperature ?? 0;
  const system: Contestant = {
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
    contestants: [system],
    scorer: rewardScorer,
    concurrency: tasks.length,
    seed,
  });
  const outcomes = run.contestants[0]?.outcomes ?? [];
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
