import type { EmbedderConfig } from "@palimpsest/memory";
import type { Score, Task, TrajectoryHead } from "@palimpsest/trajectories";
import type { z } from "zod";
import type { RewardDependencies } from "./dependencies.js";

/**
 * What a reward may read: an episode as it was, whether it is trained on or not. Its conversations have their token ids
 * only when the kind says that it `readsTokens`.
 */
export type ScoredEpisode = Pick<
  TrajectoryHead,
  "answer" | "conversations" | "memorySteps" | "storeDiff" | "counters"
>;

/**
 * Scores one episode of a task, by computation alone or by asking others.
 * @throws when it cannot score; a failure is never a zero
 */
export type TrajectoryReward = (
  task: Task,
  episode: ScoredEpisode,
  options?: { readonly signal?: AbortSignal },
) => Score | Promise<Score>;

/**
 * One kind of reward: the settings that a recipe may give it, and the function that is made of them. The built-in
 * rewards are such records, and a module of a user exports one (`defineReward`).
 */
export interface RewardKind<Config extends object = object> {
  /** Names by which recipes refer to it. */
  readonly names: readonly string[];
  /** Schema of its settings. For built-in kinds `name` is one of them. */
  readonly schema: z.ZodType<Config>;
  /**
   * @param dependencies models, environment and embedder, for rewards that need them
   * @throws {RewardError} BAD_CONFIG
   */
  create(config: Config, dependencies: RewardDependencies): TrajectoryReward;
  /** Returns whether it reads the token ids of conversations, and not only texts and lengths. Default: false. */
  readsTokens?(config: Config): boolean;
  /** Returns the embedder for its search in stores. Default: undefined, for kinds that do not search. */
  embedder?(config: Config): EmbedderConfig | undefined;
}

/** Gives a record of a kind the types of its schema. */
export function rewardKind<Config extends object>(kind: RewardKind<Config>): RewardKind<Config> {
  return kind;
}
