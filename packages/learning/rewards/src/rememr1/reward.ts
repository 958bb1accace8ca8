import type { ConversationHead, Score, Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { answerSettings } from "../answer-settings.js";
import { RewardError } from "../error.js";
import { rewardByName } from "../reward.js";
import type { ScoredEpisode, TrajectoryReward } from "../reward-kind.js";
import {
  rememr1StepReward,
  rememr1StepRewardAsReleased,
  type StepCase,
  type StepReward,
} from "./step-rewards.js";

const weight = (text: string) => z.number().min(0).default(1).describe(`weight of ${text}`);

/**
 * Settings of ReMemR1's rewards: one for the outcome, and one per conversation. With recallGain and format 0 they fit every
 * agent that keeps a memory.
 */
export const rememr1RewardSchema = z.strictObject({
  name: z
    .enum(["rememr1", "rememr1-released"])
    .describe(
      "rememr1: steps are rewarded as the paper describes; rememr1-released: as the original's code does",
    ),
  ...answerSettings,
  memoryGain: weight("the words of the answer that a step adds to the memory"),
  needlessWrite: z
    .number()
    .min(0)
    .default(0)
    .describe(
      "taken from a step that changes the memory and adds no word of the answer to it, as GRU-Mem's update gate is rewarded; used by `rememr1` only",
    ),
  recallGain: weight("the words of the answer that a recall adds to the prompt"),
  format: weight("the required form of a reply"),
  forgetting: z
    .enum(["free", "charged"])
    .default("free")
    .describe(
      "free: a memory that loses the answer and recalls it is paid for each recall, as in the paper; charged: all steps together are paid for the answer once; used by `rememr1` only",
    ),
  updateTag: z.string().min(1).default("update").describe("the agent's updateTag; used by `rememr1` only"),
  recallTag: z.string().min(1).default("recall").describe("the agent's recallTag; used by `rememr1` only"),
  instructions: z
    .string()
    .default("")
    .describe(
      "text of the agent's prompts besides their fields, whose words count as known to the agent; used by `rememr1-released` only",
    ),
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
  const readsReplies = released || config.recallGain > 0 || config.format > 0;
  const rewardOf = (step: StepCase): StepReward =>
    released
      ? rememr1StepRewardAsReleased({
          ...withPlaceholders(step),
          prompt: promptOf(step, config.instructions),
        })
      : rememr1StepReward(step, { tags, forgetting: config.forgetting });
  return (task, episode): Score => {
    const { reward, components } = outcome(episode.answer, task.answers);
    const cases = episode.conversations.map((conversation) =>
      stepCaseOf(task, episode, conversation, readsReplies),
    );
    const steps = cases.map(rewardOf);
    const needless = cases.map(({ writes }, at) => !released && writes && (steps[at]?.memoryGain ?? 0) <= 0);
    const sum = (pick: (step: StepReward) => number) => steps.reduce((total, step) => total + pick(step), 0);
    return {
      reward,
      components: {
        ...components,
        memoryGain: sum((step) => step.memoryGain),
        recallGain: sum((step) => step.recallGain),
        stepFormat: sum((step) => step.format),
        ...(config.needlessWrite > 0 ? { needlessWrites: needless.filter(Boolean).length } : {}),
      },
      stepRewards: steps.map(
        (step, at) =>
          config.memoryGain * step.memoryGain +
          config.recallGain * step.recallGain +
          config.format * step.format -
          (needless[at] ? config.needlessWrite : 0),
      ),
    };
  };
}

/** A step's case, and whether it has changed the memory. Of the first step only a memory of heads says so. */
interface ScoredStep extends StepCase {
  readonly writes: boolean;
}

/**
 * @param readsReplies whether a reward is to be made of what was replied, which only some agents record
 * @throws {RewardError} STEPS_MISSING
 */
function stepCaseOf(
  { question, answers }: Task,
  episode: ScoredEpisode,
  conversation: ConversationHead,
  readsReplies: boolean,
): ScoredStep {
  const { memorySteps, answer } = episode;
  const common = { problem: question, answers };
  if (conversation.kind === "final") {
    const last = memorySteps.at(-1);
    return {
      ...common,
      action: "final",
      writes: false,
      recalledMemory: last?.found ?? "",
      memory: last?.memory ?? "",
      section: "",
      reply: answer,
      found: "",
    };
  }
  const at = memorySteps.findIndex(({ step }) => step === conversation.step);
  const step = memorySteps[at];
  if (step === undefined || (readsReplies && step.reply === undefined)) {
    throw new RewardError(
      "STEPS_MISSING",
      `memorySteps: the reply of step ${conversation.step} is missing; use reward "rememr1" with the agent rememr1, on episodes that are complete, or set recallGain and format to 0`,
    );
  }
  const before = memorySteps[at - 1]?.memory;
  return {
    ...common,
    action: "memory",
    writes: step.head !== undefined || (before !== undefined && before !== step.memory),
    recalledMemory: step.recalled,
    memory: before ?? "",
    section: step.section ?? "",
    reply: step.reply ?? "",
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
