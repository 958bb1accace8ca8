/**
 * Responsibility: rates a recipe's questions. The recipe's agent plays them and its reward scores them, as in a rollout
 *   of its training.
 * Not responsible for: opening the model; order, file and resuming (datasets).
 */
import type { AgentModel } from "@palimpsest/agents";
import { DatasetError, type Rating, rateQuestions } from "@palimpsest/datasets";
import { trajectoryReward } from "@palimpsest/rewards";
import { episodeSeed, type Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { keptRecipe, openRecipeModules, type RecipeModules } from "../modules/recipe-modules.js";
import { agentEmbedder, openEmbedder } from "../parts/open-embedder.js";
import { rewardDependencies } from "../parts/reward-dependencies.js";
import { rolloutAgent } from "../parts/rollout-agent.js";
import { dataFilesOf } from "../recipe/data-files.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { recipeTasks } from "../recipe/recipe-tasks.js";
import { ratedPlay } from "./rates-of-run.js";

/** Whose episodes rate which questions, and into which file. */
export interface RateRecipeOptions {
  readonly recipe: Recipe;
  /** The model that plays the episodes. */
  readonly model: Pick<AgentModel, "sampler" | "tokenizer" | "chat">;
  /** Identifies the model's weights, such as by their hash, because a file of rates belongs to one model. */
  readonly identity: Readonly<Record<string, string>>;
  /** Path of the file of rates. */
  readonly out: string;
  /** Number of episodes per question, ≥ 1. */
  readonly samples: number;
  /** Number of concurrent episodes, ≥ 1; default: `rollout.concurrency`. */
  readonly concurrency?: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (rating: Rating) => void;
}

/**
 * Plays every question of a recipe's `data` several times and writes what the episodes earned on average to a file,
 * which `curriculum.passRates` reads. An unfinished file is continued.
 * @throws {PalimpsestError} CONFIG_INVALID naming the field, the value and the fix; the signal's reason
 */
export async function rateRecipe(options: RateRecipeOptions): Promise<Rating> {
  const { recipe, model, samples, seed, signal } = options;
  const modules = await openRecipeModules(recipe, { signal });
  const { agent: ownAgent, reward: ownReward } = modules.loaded;
  const tasks = await recipeTasks("data", recipe.data, signal, modules.loaded.data);
  const closing: (() => Promise<void>)[] = [() => tasks.close()];
  try {
    const environment = process.env;
    const opened = await openEmbedder(agentEmbedder(recipe.agent, ownAgent), { environment });
    closing.push(() => opened.close());
    const dependencies = await rewardDependencies(recipe.reward.config, environment, ownReward);
    closing.push(() => dependencies.close());
    const agent = rolloutAgent(recipe, {
      ...model,
      ...(opened.embedder ? { embedder: opened.embedder } : {}),
      ...(ownAgent ? { module: ownAgent } : {}),
    });
    const reward = trajectoryReward(recipe.reward.config, dependencies);
    const { temperature, concurrency: usual } = recipe.rollout;
    const play = async (task: Task, seedOfEpisode: number, aborted: AbortSignal) => {
      const { question, document, records } = task;
      const result = await agent.run(
        { question, document, ...(records ? { records } : {}) },
        { temperature, seed: seedOfEpisode, signal: aborted },
      );
      const score = await reward(task, { ...result, memorySteps: result.steps }, { signal: aborted });
      if (Number.isFinite(score.reward)) return score.reward;
      throw new PalimpsestError("INTERNAL", `reward: is ${score.reward}, but must be a finite number`);
    };
    return await rateQuestions({
      tasks,
      samples,
      // One more question is played than fills the sampler, so that a slow episode leaves no slot unused.
      concurrency: Math.ceil((options.concurrency ?? usual) / samples) + 1,
      path: options.out,
      settings: await settingsOf(options, modules),
      play: (task, { position, sample, signal: aborted }) =>
        play(task, episodeSeed(episodeSeed(seed, position), sample), aborted),
      signal,
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    });
  } catch (reason) {
    if (!(reason instanceof DatasetError)) throw reason;
    throw new PalimpsestError("CONFIG_INVALID", reason.message.replace(/^\[\w+\] /, ""), { cause: reason });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/**
 * Returns what determines a rate. Files and modules are identified by their contents, so that they may be moved but not
 * changed.
 */
async function settingsOf(
  { recipe, identity, samples, seed, signal }: RateRecipeOptions,
  { built }: RecipeModules,
): Promise<Record<string, unknown>> {
  const { data } = keptRecipe(recipe, built);
  const { passRates: _, ...curriculum } = recipe.curriculum;
  const files = await dataFilesOf({ data, curriculum: { ...curriculum, mix: [] } }, signal);
  return {
    model: identity,
    ...ratedPlay(recipe, built),
    samples,
    seed,
    data: {
      ...data,
      ...("path" in data ? { path: undefined } : {}),
      files: files.map(({ sizeBytes, sha256 }) => ({ sizeBytes, sha256 })),
    },
  };
}
