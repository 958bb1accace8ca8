import { z } from "zod";
import { type RewardName, rewardNames } from "./reward.js";

/** How a reward of steps rewards the final answer. */
export const answerSettings = {
  outcome: z
    .enum(rewardNames as [RewardName, ...RewardName[]])
    .default("boxed-exact-match")
    .describe("reward of the final answer"),
  lastCharacters: z
    .int()
    .min(1)
    .nullable()
    .default(300)
    .describe("characters at the answer's end that are read; null: all"),
};
