import type { EmbedderConfig } from "@palimpsest/memory";
import type { Score, Task, TrajectoryHead } from "@palimpsest/trajectories";
import { z } from "zod";
import type { RewardDependencies } from "./dependencies.js";
import { judgeReward, judgeRewardSchema } from "./judge/judge-reward.js";
import { memUpdateReleasedSchema, memUpdateRewardSchema } from "./memupdate/config.js";
import { memUpdateReleasedReward, memUpdateReward } from "./memupdate/reward.js";
import { rememr1Reward, rememr1RewardSchema } from "./rememr1/reward.js";
import { remoteReward, remoteRewardSchema } from "./remote/remote-reward.js";
import { type RewardName, rewardByName, rewardNames } from "./reward.js";
import { storeProbesReward, storeProbesRewardSchema } from "./store-probes.js";

/** What a reward may read: an episode as it was, trained on or not. Its conversations have their token ids only where
 *  `rewardReadsTokens` says so. */
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

/** Scores the final answer alone. */
const answerRewardSchema = z.strictObject({
  name: z.enum(rewardNames as [RewardName, ...RewardName[]]).describe("what the final answer is measured by"),
  lastCharacters: z
    .int()
    .min(1)
    .nullable()
    .default(300)
    .describe("only so many last characters of the answer are looked at; null: all"),
});

/** A reward by name, with the settings that it takes. */
export const rewardConfigSchema = z.discriminatedUnion("name", [
  answerRewardSchema,
  rememr1RewardSchema,
  memUpdateRewardSchema,
  memUpdateReleasedSchema,
  judgeRewardSchema,
  remoteRewardSchema,
  storeProbesRewardSchema,
]);

export type RewardConfig = z.output<typeof rewardConfigSchema>;
export type RewardConfigInput = z.input<typeof rewardConfigSchema>;

/** Whether the reward reads the token ids of conversations, and not only texts and lengths. */
export function rewardReadsTokens(config: RewardConfig): boolean {
  return config.name === "remote" && config.sendTokens;
}

/** The embedder of the search that a reward makes in stores; undefined where it makes none. */
export function rewardEmbedder(config: RewardConfig): EmbedderConfig | undefined {
  if (config.name === "memupdate") return config.embedder;
  return config.name === "store-probes" && config.found.by === "search" ? config.found.embedder : undefined;
}

/**
 * @param dependencies models, environment and embedder, for rewards that need them
 * @throws {RewardError} UNKNOWN_REWARD, BAD_CONFIG
 */
export function trajectoryReward(
  config: RewardConfig,
  dependencies: RewardDependencies = {},
): TrajectoryReward {
  switch (config.name) {
    case "rememr1":
    case "rememr1-released":
      return rememr1Reward(config);
    case "memupdate":
      return memUpdateReward(config, dependencies);
    case "memupdate-released":
      return memUpdateReleasedReward(config);
    case "llm-judge":
      return judgeReward(config, dependencies);
    case "remote":
      return remoteReward(config, dependencies);
    case "store-probes":
      return storeProbesReward(config, dependencies);
    default: {
      const reward = rewardByName(config.name, { lastCharacters: config.lastCharacters });
      return (task, episode) => reward(episode.answer, task.answers);
    }
  }
}
