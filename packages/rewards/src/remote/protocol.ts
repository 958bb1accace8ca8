import type { Column, ColumnLength, Score, Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { RewardError } from "../error.js";
import type { ScoredEpisode } from "../reward-kind.js";

/** Names the form of requests; a change that a service could trip over gets another one. */
export const remoteRewardProtocol = "palimpsest.reward.v1";

const finite = z.number();

/** What a reward service answers. */
export const remoteReplySchema = z.object({
  reward: finite.describe("what the learner trains on"),
  components: z.record(z.string(), finite).default({}).describe("parts of it by name, for logs and reports"),
  stepRewards: z.array(finite).optional().describe("one a conversation, in their order"),
});

/**
 * What is sent to a reward service. Conversations are told of by kind, step, lengths and stop reason; their token ids go
 * along only where they are asked for.
 */
export function remoteRequest(task: Task, episode: ScoredEpisode, sendTokens: boolean): string {
  const { answer, memorySteps, conversations, storeDiff, counters } = episode;
  return JSON.stringify({
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
  });
}

/** @throws {RewardError} BAD_CONFIG when the column was not read */
function numbersOf(column: ColumnLength | Column): number[] {
  if (!(Symbol.iterator in column)) {
    throw new RewardError(
      "BAD_CONFIG",
      "sendTokens: the episode came without its token ids; read whole trajectories where rewardReadsTokens says so",
    );
  }
  return [...column];
}

/** The score that a service's answer holds, or what is wrong with it. */
export function readRemoteReply(text: string, conversations: number): Score | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "the answer is no JSON" };
  }
  const parsed = remoteReplySchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    return { problem: `${issue.path.join(".") || "answer"}: ${issue.message}` };
  }
  const { reward, components, stepRewards } = parsed.data;
  if (stepRewards !== undefined && stepRewards.length !== conversations) {
    return { problem: `stepRewards: there are ${stepRewards.length} for ${conversations} conversations` };
  }
  return { reward, components, ...(stepRewards === undefined ? {} : { stepRewards }) };
}
