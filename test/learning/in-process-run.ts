import { createAgent, toTrajectory } from "../../packages/agents/src/index.js";
import { tasksFromConfig } from "../../packages/datasets/src/index.js";
import { type Evaluation, evaluateByLength } from "../../packages/evals/src/index.js";
import { loadBackend } from "../../packages/jit/src/index.js";
import { createLearner, type UpdateMetrics } from "../../packages/learner/src/index.js";
import { createSampler, loadModel, type ModelFolder } from "../../packages/model/src/index.js";
import { trajectoryReward } from "../../packages/rewards/src/index.js";
import { evaluationTasks } from "../../packages/trainer/src/evaluation.js";
import type { Recipe } from "../../packages/trainer/src/recipe.js";
import {
  episodeSeed,
  type Group,
  type ScoredTrajectory,
  type Task,
} from "../../packages/trajectories/src/index.js";

export interface InProcessRun {
  readonly recipe: Recipe;
  readonly seed: number;
  readonly shuffleRewards?: boolean;
  readonly threads?: number;
  readonly onStep?: (update: UpdateMetrics, step: number, secondsRollout: number) => void;
}

export interface InProcessResult {
  readonly before: Evaluation;
  readonly after: Evaluation;
  /** Mean training reward, step by step. */
  readonly rewards: readonly number[];
  /** Of the trained policy. */
  readonly model: ModelFolder;
}

/** What the trainer's processes do for a recipe, without them: agent, sampler, reward and learner in one. */
export async function runInProcess(run: InProcessRun): Promise<InProcessResult> {
  const { recipe, seed, shuffleRewards = false, threads = 1, onStep } = run;
  const { rollout, evaluation } = recipe;
  const backend = await loadBackend({ threads });
  if (recipe.model.path === undefined) throw new Error("model.path: in one process only folders are read");
  const { config, parameters, tokenizer } = await loadModel(recipe.model.path);
  if (!tokenizer || !evaluation) throw new Error("the base needs a tokenizer, the recipe an evaluation");
  const sampler = createSampler({
    backend,
    config,
    parameters,
    maxBatch: rollout.maxBatch,
    maxLength: rollout.maxTokens,
  });
  const learner = createLearner({
    backend,
    config: recipe.learner,
    model: config,
    parameters,
    objectives: ["policy"],
  });
  const agent = createAgent(recipe.agent, { sampler, tokenizer });
  const reward = trajectoryReward(recipe.reward.config);
  const tasks = await tasksFromConfig(recipe.data);
  const evaluate = () =>
    evaluateByLength({
      agent,
      tasksByLength: evaluationTasks(recipe),
      reward,
      concurrency: rollout.concurrency,
      temperature: evaluation.temperature,
      seed: evaluation.seed,
    });
  const episode = async (task: Task, groupId: string, episodeIndex: number, groupSeed: number) => {
    const result = await agent.run(task, {
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
    return { trajectory, score: await reward(task, trajectory) };
  };
  const group = async (step: number, place: number): Promise<Group> => {
    const index = step * recipe.train.groupsPerStep + place;
    const task = tasks[index % tasks.length] as Task;
    const groupId = `s${String(step).padStart(4, "0")}-g${String(place).padStart(3, "0")}`;
    const { groupSize } = recipe.learner;
    const members: ScoredTrajectory[] = await Promise.all(
      Array.from({ length: groupSize }, (_, i) => episode(task, groupId, i, episodeSeed(seed, index))),
    );
    return { groupId, taskId: task.id, groupSize, members };
  };

  try {
    const before = await evaluate();
    const rewards: number[] = [];
    for (let step = 0; step < recipe.train.steps; step++) {
      const startedAt = performance.now();
      const places = Array.from({ length: recipe.train.groupsPerStep }, (_, place) => group(step, place));
      const groups = await Promise.all(places);
      const secondsRollout = (performance.now() - startedAt) / 1000;
      const update = await learner.update(groups, { shuffleRewards });
      await sampler.setWeights(learner.parameters(), learner.policyVersion);
      rewards.push(update.rewardMean);
      onStep?.(update, step, secondsRollout);
    }
    const model = { config, tokenizer, parameters: learner.parameters() };
    return { before, after: await evaluate(), rewards, model };
  } finally {
    await sampler.close();
    learner.close();
  }
}
