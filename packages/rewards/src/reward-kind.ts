import type { EmbedderConfig } from "@palimpsest/memory";
import type { Score, Task, TrajectoryHead } from "@palimpsest/trajectories";
import type { z } from "zod";
import type { RewardDependencies } from "./dependencies.js";

/** What a reward may read: an episode as it was, trained on or not. Its conversations have their token ids only where
 *  the kind says that it `readsTokens`. */
export type ScoredEpisode = Pick<
  TrajectoryHead,
  "answer" | "conversations" | "memorySteps" | "storeDiff" | "counters"
>;

/**
 * Scores one episode of a task, by pure arithmetic or by asking others.
 * @throws a failure to score; it is never a zero
 */
export type TrajectoryReward = (
  task: Task,
  episode: ScoredEpisode,
  options?: { readonly signal?: AbortSignal },
) => Score | Promise<Score>;

/**
 * One kind of reward: what a recipe may say of it, and the function that comes of that. The built-in ones are such records,
 * and a module of a user exports one (`defineReward`).
 */
export interface RewardKind<Config extends object = object> {
  /** Names under which recipes ask for it. */
  readonly names: readonly string[];
  /** Its settings; of the built-in ones `name` is one of them. */
  readonly schema: z.ZodType<Config>;
  /**
   * @param dependencies models, environment and embedder, for rewards that need them
   * @throws {RewardError} BAD_CONFIG
   */
  create(config: Config, dependencies: RewardDependencies): TrajectoryReward;
  /** Whether it reads the token ids of conversations, and not only texts and lengths. Default: it does not. */
  readsTokens?(config: Config): boolean;
  /** The embedder of the search that it makes in stores. Default: it makes none. */
  embedder?(config: Config): EmbedderConfig | undefined;
}

/** Gives a record of a kind the types of its schema. */
export function rewardKind<Config extends object>(kind: RewardKind<Config>): RewardKind<Config> {
  return kind;
}
