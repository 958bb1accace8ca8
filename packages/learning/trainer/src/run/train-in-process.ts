/**
 * Responsibility: one run in this process, without a cluster, queues or files: agent, sampler, reward and learner, in the order
 *   of `train`. A breakpoint in an agent or a reward stops the run there.
 * Not responsible for: checkpoints, resuming, several rollout actors.
 *
 * Invariants:
 * - INPROCESS-1. Tasks, seeds, group ids and settings are those of the cluster's run: on the same backend with the same number
 *   of threads the weights after every step are the same, bit for bit, if `rollout.batchInvariant` is on.
 * - INPROCESS-2. A failed episode is left out of its group and counted; it never gets a reward of zero.
 * - INPROCESS-3. The sampler, the learner and every other resource are freed at the end, even if creating a later one failed.
 */

import { setMaxListeners } from "node:events";
import type { Agent } from "@palimpsest/agents";
import { generatedTasks, type TaskSet } from "@palimpsest/datasets";
import { entry, type FunctionStats, loadBackend } from "@palimpsest/jit";
import { createLearner, type Learner, type UpdateMetrics } from "@palimpsest/learner";
import {
  createSampler,
  hashWeights,
  loadModel,
  type ModelFolder,
  type ModelSampler,
} from "@palimpsest/model";
import { rewardReadsTokens, type TrajectoryReward, trajectoryReward } from "@palimpsest/rewards";
import { checkKind } from "@palimpsest/std/input";
import type { Group, Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { samplerSettings } from "../engines/own-sampler.js";
import { sampleStep, settingsWithoutEffect } from "../groups/in-process-groups.js";
import { type RejectedGroups, rejectedIn, shortageNotice } from "../groups/teaching-groups.js";
import { openRecipeModules } from "../modules/recipe-modules.js";
import { learnerSettings } from "../parts/learner-settings.js";
import { openModelText, readModelText } from "../parts/model-text.js";
import { agentEmbedder, openEmbedder } from "../parts/open-embedder.js";
import { rewardDependencies } from "../parts/reward-dependencies.js";
import { rolloutAgent } from "../parts/rollout-agent.js";
import { checkFitsGpu } from "../plan/plan-gpu.js";
import { otherRates } from "../rates/rates-of-run.js";
import { type ModelCache, resolveSource } from "../recipe/model-source.js";
import { recipeNotices } from "../recipe/recipe-notices.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { trainingTasks } from "../recipe/recipe-tasks.js";

/** The parts of a run in one process, for breakpoints and for sampling between its steps. */
export interface InProcessPolicy {
  readonly agent: Agent;
  readonly reward: TrajectoryReward;
  /** Time that each compiled function of the sampler and the learner has taken so far. */
  readonly functionStats: () => {
    readonly sampler: Readonly<Record<string, FunctionStats>>;
    readonly learner: Readonly<Record<string, FunctionStats>>;
  };
}

/** What one step sampled and trained. */
export interface InProcessStep {
  readonly step: number;
  readonly update: UpdateMetrics;
  readonly groups: readonly Group[];
  /** With `train.zeroVarianceRefills`: the groups that the step sampled but did not train. */
  readonly rejected?: RejectedGroups;
  readonly weightsHash: string;
  readonly rolloutSeconds: number;
  /** The reasons for which episodes failed. */
  readonly failures: readonly string[];
}

/** What `trainInProcess` trains, and what it reports to the caller. */
export interface InProcessOptions {
  readonly recipe: Recipe;
  /** Cache folder for named models and models from a hub; not needed for models in folders. */
  readonly models?: ModelCache;
  /** Shuffles the rewards within each step: a control run that must not learn. */
  readonly shuffleRewards?: boolean;
  /** Training questions in place of the recipe's `data`, at least one; its `curriculum` applies to them. */
  readonly tasks?: readonly Task[];
  /** Compute threads; default: the learner's. */
  readonly threads?: number;
  /** Awaited before the first step, so that the policy can be sampled before it is trained. */
  readonly onStart?: (policy: InProcessPolicy) => void | Promise<void>;
  /** Awaited after every step, under the step's weights. */
  readonly onStep?: (step: InProcessStep, policy: InProcessPolicy) => void | Promise<void>;
  readonly onNotice?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** The trained policy and the SHA-256 of its weights. */
export interface InProcessResult {
  readonly weightsHash: string;
  /** The trained policy as a model. */
  readonly model: ModelFolder;
}

/**
 * Trains a recipe in this process: the same loop and the same numbers as through a cluster.
 * @throws {PalimpsestError} CONFIG_INVALID; INTERNAL when every group of a step failed; the signal's reason
 */
export async function trainInProcess(options: InProcessOptions): Promise<InProcessResult> {
  const refuse = (problem: string) => new PalimpsestError("CONFIG_INVALID", problem);
  checkKind(options, "options of trainInProcess()", "an object", refuse);
  const { recipe, onNotice, signal } = options;
  // A recipe that nobody parsed lacks the defaults of its fields.
  checkKind(recipe, "recipe of trainInProcess()", "an object", refuse);
  for (const name of ["agent", "model", "data", "rollout", "learner", "train"])
    checkKind(
      Reflect.get(recipe, name),
      `recipe of trainInProcess(), which readRecipe() returns: ${name}`,
      "an object",
      refuse,
    );
  // Every episode of a step listens to it, and Node would report more than ten listeners as a leak.
  if (signal !== undefined) setMaxListeners(0, signal);
  if (options.tasks?.length === 0)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      "tasks: is empty; give at least one question, or leave tasks out",
    );
  const modules = await openRecipeModules(recipe, {
    ...(signal ? { signal } : {}),
    ...(onNotice ? { onNotice } : {}),
  });
  if (recipe.start !== undefined)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      "start: is set, but a run in one process writes no files; create the model with `palimpsest train sft --data`, and set model.path to its folder",
    );
  if (recipe.rollout.engine !== undefined)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      "rollout.engine: is set, but a run in one process has its own sampler; leave the section out, or run on a cluster",
    );
  if (recipe.train.maxStaleness > 0)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `train.maxStaleness: is ${recipe.train.maxStaleness}, but a run in one process cannot sample while it trains; set it to 0, or run on a cluster`,
    );
  const idle = settingsWithoutEffect(recipe);
  if (idle.length > 0) onNotice?.(`these settings have no effect in one process: ${idle.join(", ")}`);
  const { agent: ownAgent, reward: ownReward, data, advantage } = modules.loaded;
  const folder = await resolveSource(recipe.model, { cacheDir: "", ...options.models });
  const { rollout } = recipe;
  const device = recipe.learnerGpus > 0 || rollout.gpus > 0 ? "gpu" : "auto";
  const backend = await loadBackend({
    threads: options.threads ?? recipe.learnerThreads,
    device,
    deterministic: recipe.learner.deterministic ?? false,
  });
  for (const notice of recipeNotices(recipe)) onNotice?.(notice);
  if (backend.gpuUnused !== undefined) onNotice?.(backend.gpuUnused);
  const { config, parameters } = await loadModel(folder, { ignoreConfig: recipe.model.ignoreConfig });
  checkFitsGpu(recipe, config, backend.gpuMemoryBytes);
  const { tokenizer, chat } = openModelText(await readModelText(folder), Date.now());
  const made: (() => unknown)[] = [];
  try {
    const sampler = await createSampler({
      backend,
      config,
      parameters,
      lora: recipe.learner.lora ?? undefined,
      ...samplerSettings(recipe),
    });
    made.push(() => sampler.close());
    const { weightsHash: initial } = sampler;
    const differing = await otherRates(recipe, modules.built, { weightsHash: initial, signal });
    if (differing !== undefined) onNotice?.(differing);
    const learner = createLearner({
      backend,
      config: learnerSettings(recipe),
      model: config,
      parameters,
      objectives: ["policy"],
      ...(advantage ? { advantage } : {}),
    });
    made.push(() => learner.close());
    const environment = process.env;
    const opened = await openEmbedder(agentEmbedder(recipe.agent, ownAgent), { environment, backend });
    made.push(() => opened.close());
    const dependencies = await rewardDependencies(recipe.reward.config, environment, ownReward);
    made.push(() => dependencies.close());
    const tasks = await trainingTasks(recipe, signal, { module: data, ...givenTasks(options) });
    made.push(() => tasks.close());
    const policy: InProcessPolicy = {
      agent: rolloutAgent(recipe, {
        sampler,
        tokenizer,
        ...(chat ? { chat } : {}),
        ...(opened.embedder ? { embedder: opened.embedder } : {}),
        ...(ownAgent ? { module: ownAgent } : {}),
      }),
      reward: trajectoryReward(recipe.reward.config, dependencies),
      functionStats: () => ({ sampler: sampler.functionStats, learner: learner.stats }),
    };
    const readsTokens = rewardReadsTokens(recipe.reward.config, ownReward);
    await options.onStart?.(policy);
    const teaches = (group: Group) => learner.teaches(group);
    const source = { recipe, ...policy, tasks, readsTokens, teaches, signal };
    let first = 0;
    for (let step = 1; step <= recipe.train.steps; step++) {
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const { groups, rejected: without, failures, next } = await sampleStep(source, step, first);
      first = next;
      const rolloutSeconds = (performance.now() - startedAt) / 1000;
      const shuffleRewards = options.shuffleRewards ?? false;
      const update = await learner.update(groups, { shuffleRewards, ...(signal ? { signal } : {}) });
      const weightsHash = await handOver(learner, sampler);
      const rejected = rejectedIn(recipe, { groups, rejected: without }, teaches);
      const shortage = shortageNotice({ step, groupsTrained: groups.length, ...rejected }, recipe.train);
      if (shortage !== undefined) onNotice?.(shortage);
      const done = { step, update, groups, ...rejected, weightsHash, rolloutSeconds, failures };
      await options.onStep?.(done, policy);
    }
    const model = { config, tokenizer, parameters: learner.parameters(parameters) };
    return { weightsHash: learner.weightsHash(), model };
  } finally {
    for (const close of made.reverse()) await close();
  }
}

/** Copies the learner's current weights to the sampler; for adapters only these, since it has the base. @returns their hash */
async function handOver(learner: Learner, sampler: ModelSampler): Promise<string> {
  const { policyVersion } = learner;
  const isAdapted = learner.config.lora !== null;
  const trained = isAdapted ? learner.adapters() : learner.parameters();
  const weightsHash = hashWeights(trained);
  if (isAdapted) await sampler.setAdapters(trained, policyVersion, weightsHash);
  else await sampler.setWeights(trained, policyVersion, weightsHash);
  return weightsHash;
}

function givenTasks({ tasks }: InProcessOptions): { readonly given?: TaskSet } {
  if (tasks === undefined) return {};
  return { given: generatedTasks(tasks.length, (position) => entry(tasks, position)) };
}
