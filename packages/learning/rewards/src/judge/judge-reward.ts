import { z } from "zod";
import { afterThinking } from "../answer-text.js";
import { boxedAnswer } from "../boxed.js";
import { openTextModel, type RewardDependencies } from "../dependencies.js";
import type { TrajectoryReward } from "../reward-kind.js";
import { createJudge, judgeSchema } from "./judge.js";

/** Settings of the reward with which a language model decides whether the final answer is right. */
export const judgeRewardSchema = judgeSchema.extend({
  name: z.literal("llm-judge").describe("1 if a language model judges the answer to be right, otherwise 0"),
});
export type JudgeRewardConfig = z.output<typeof judgeRewardSchema>;

/**
 * Scores 1 when the judge calls the final answer right, else 0, with the components `correct` and `boxed` (1 when the
 * answer was in a box). The content of the last box is judged, or without a box the whole reply after its thinking. An
 * empty answer is wrong without asking.
 * @throws {RewardError} BAD_CONFIG
 */
export function judgeReward(config: JudgeRewardConfig, dependencies: RewardDependencies): TrajectoryReward {
  const judge = createJudge(openTextModel("endpoint", config.endpoint, dependencies), config);
  return async (task, episode, options) => {
    const reply = afterThinking(episode.answer);
    const box = boxedAnswer(reply);
    const prediction = (box ?? reply).trim();
    const { question, answers } = task;
    const correct =
      prediction !== "" && (await judge.judge({ question, answers, prediction }, options?.signal)) ? 1 : 0;
    return { reward: correct, components: { correct, boxed: box === null ? 0 : 1 } };
  };
}
