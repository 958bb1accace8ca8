import type { ConversationHead, Score, Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { RewardError } from "../error.js";
import { type RewardName, rewardByName, rewardNames } from "../reward.js";
import type { ScoredEpisode, TrajectoryReward } from "../reward-kind.js";
import {
  rememr1StepReward,
  rememr1StepRewardAsReleased,
  type StepCase,
  type StepReward,
} from "./step-rewards.js";

const weight = (text: string) => z.number().min(0).default(1).describe(`weight of ${text}`);

/** Settings of ReMemR1's rewards: one for the outcome, and one per conversation. */
export const rememr1RewardSchema = z.strictObject({
  name: z
    .enum(["rememr1", "rememr1-released"])
    .describe("whether steps are rewarded as the paper describes it or as the original's code does"),
  outcome: z
    .enum(rewardNames as [RewardName, ...RewardName[]])
    .default("boxed-exact-match")
    .describe("the measure of the final answer"),
  lastCharacters: z
    .int()
    .min(1)
    .nullable()
    .default(300)
    .describe("how many of the answer's last characters are read; null: all"),
  memoryGain: weight("how much of the answer a step adds to the memory"),
  recallGain: weight("how much of the answer a recall adds to what the prompt contained"),
  format: weight("the required form of a reply"),
  updateTag: z.string().min(1).default("update").describe("the agent's setting; `rememr1` only"),
  recallTag: z.string().min(1).default("recall").describe("the agent's setting; `rememr1` only"),
  instructions: z
    .string()
    .default("")
    .describe("what prompts say besides their fields; its words count, for `rememr1-released` only"),
});

export type ReMemR1RewardConfig = z.output<typeof rememr1RewardSchema>;

/**
 * Returns the outcome's score with its components, `stepRewards` with one value per conversation, and their unweighted
 * sums as the components `memoryGain`, `recallGain` and `stepFormat`.
 */
export function rememr1Reward(config: ReMemR1RewardConfig): TrajectoryReward {
  const outcome = rewardByName(config.outcome, { lastCharacters: config.lastCharacters });
  const tags = { update: config.updateTag, recall: config.recallTag };
  const released = config.name === "rememr1-released";
  const rewardOf = (step: StepCase): StepReward =>
    released
      ? rememr1StepRewardAsReleased({
          ...withPlaceholders(step),
          prompt: promptOf(step, config.instructions),
        })
      : rememr1StepReward(step, tags);
  return (task, episode): Score => {
    const { reward, components } = outcome(episode.answer, task.answers);
    const steps = episode.conversations.map((conversation) =>
      rewardOf(stepCaseOf(task, episode, conversation)),
    );
    const sum = (pick: (step: StepReward) => number) => steps.reduce((total, step) => total + pick(step), 0);
    return {
      reward,
      components: {
        ...components,
        memoryGain: sum((step) => step.memoryGain),
        recallGain: sum((step) => step.recallGain),
        stepFormat: sum((step) => step.format),
      },
      stepRewards: steps.map(
        (step) =>
          config.memoryGain * step.memoryGain +
          config.recallGain * step.recallGain +
          config.format * step.format,
      ),
    };
  };
}

/** @throws {RewardError} STEPS_MISSING */
function stepCaseOf(
  { question, answers }: Task,
  episode: ScoredEpisode,
  conversation: ConversationHead,
): StepCase {
  const { memorySteps, answer } = episode;
  const common = { problem: question, answers };
  if (conversation.kind === "final") {
    const last = memorySteps.at(-1);
    return {
      ...common,
      action: "final",
      recalledMemory: last?.found ?? "",
      memory: last?.memory ?? "",
      section: "",
      reply: answer,
      found: "",
    };
  }
  const at = memorySteps.findIndex(({ step }) => step === conversation.step);
  const step = memorySteps[at];
  if (step?.reply === undefined) {
    throw new RewardError(
      "STEPS_MISSING",
      `memorySteps: the reply of step ${conversation.step} is missing: reward "rememr1" scores only complete episodes of agent rememr1`,
    );
  }
  return {
    ...common,
    action: "memory",
    recalledMemory: step.recalled,
    memory: memorySteps[at - 1]?.memory ?? "",
    section: step.section ?? "",
    reply: step.reply,
    found: step.found ?? "",
    newMemory: step.memory,
  };
}

const noneRecalled = "No memory was recalled.";

const withPlaceholders = (step: StepCase): StepCase => ({ ...step, found: step.found || noneRecalled });

/** Lays out the fields as the original's template does. */
function promptOf({ problem, recalledMemory, memory, section }: StepCase, instructions: string): string {
  const blocks = [
    ["problem", problem],
    ["recalled_memory", recalledMemory || noneRecalled],
    ["memory", memory || "No previous memory"],
    ["section", section],
  ];
  return [instructions, ...blocks.map(([name, text]) => `<${name}>\n${text}\n</${name}>`)].join("\n\n");
}
