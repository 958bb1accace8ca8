import type { Column, ColumnLength, Score, Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { RewardError } from "../error.js";
import type { ScoredEpisode } from "../reward-kind.js";

/** Identifies the format of requests. A change that could break a service gets a new identifier. */
export const remoteRewardProtocol = "palimpsest.reward.v1";

const finite = z.number();

/** The schema of a reward service's answer. */
export const remoteReplySchema = z.object({
  reward: finite.describe("the value that the learner trains on"),
  components: z
    .record(z.string(), finite)
    .default({})
    .describe("parts of the reward by name, for logs and reports"),
  stepRewards: z
    .array(finite)
    .optional()
    .describe("one value per conversation, in the order of the conversations"),
});

/**
 * Builds the request to a reward service. Conversations are described by kind, step, lengths and stop reason; their
 * token ids are included only when requested.
 */
export function remoteRequest(task: Task, episode: ScoredEpisode, sendTokens: boolean): unknown {
  const { answer, memorySteps, conversations, storeDiff, counters } = episode;
  return {
    protocol: remoteRewardProtocol,
    task,
    episode: {
      answer,
      memorySteps,
      conversations: conversations.map((conversation) => {
        const { kind, step, stopReason, policyVersion, promptTokenIds, sampledTokenIds } = conversation;
        return {
          kind,
          step,
          stopReason,
          policyVersion,
          promptTokens: promptTokenIds.length,
          sampledTokens: sampledTokenIds.length,
          ...(sendTokens
            ? { promptTokenIds: numbersOf(promptTokenIds), sampledTokenIds: numbersOf(sampledTokenIds) }
            : {}),
        };
      }),
      ...(storeDiff === undefined ? {} : { storeDiff }),
      ...(counters === undefined ? {} : { counters }),
    },
  };
}

/** @throws {RewardError} BAD_CONFIG when the column was not read */
function numbersOf(column: ColumnLength | Column): number[] {
  if (!(Symbol.iterator in column)) {
    throw new RewardError(
      "BAD_CONFIG",
      "sendTokens: is set, but the episode was read without its token ids; read complete trajectories if `rewardReadsTokens` returns true",
    );
  }
  return [...column];
}

/** Returns the score in a service's answer, or what is wrong with the answer. */
export function readRemoteReply(
  answer: unknown,
  conversations: number,
): Score | { readonly problem: string } {
  const parsed = remoteReplySchema.safeParse(answer);
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    return { problem: `${issue.path.join(".") || "answer"}: ${issue.message}` };
  }
  const { reward, components, stepRewards } = parsed.data;
  if (stepRewards !== undefined && stepRewards.length !== conversations) {
    return { problem: `stepRewards: has ${stepRewards.length} values for ${conversations} conversations` };
  }
  return { reward, components, ...(stepRewards === undefined ? {} : { stepRewards }) };
}
