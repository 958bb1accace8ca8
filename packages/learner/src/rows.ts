import type { Conversation, Group, ScoredTrajectory } from "@palimpsest/trajectories";
import { type Advantages, computeAdvantages } from "./advantages.js";
import { LearnerError } from "./error.js";
import type { AdvantageConfig } from "./loss-config.js";
import type { Random } from "./random.js";

/** One conversation as the learner trains it. All arrays have one entry a token of prompt and response. */
export interface TrainingRow {
  readonly groupId: string;
  readonly trajectoryId: string;
  /** Place of the conversation within its trajectory. */
  readonly step: number;
  readonly tokenIds: Int32Array;
  /** Nats; 0 at prompt tokens. */
  readonly rolloutLogprobs: Float32Array;
  /** 1 at sampled tokens that are trained. */
  readonly lossMask: Uint8Array;
  /** The trajectory's, the same in each of its rows. */
  readonly advantage: number;
  readonly policyVersion: number;
}

export interface RowBatch {
  /** In the order of (groupId, episodeIndex, step), whatever order the groups came in. */
  readonly rows: readonly TrainingRow[];
  readonly advantages: Advantages;
  /** Scored trajectories in the same order, with the rewards that were used. */
  readonly members: readonly ScoredTrajectory[];
  /** Conversations without a token to train (aborted, or masked whole). */
  readonly emptyConversations: number;
}

/**
 * Groups → rows. The order of groups, of members and of conversations does not change the result.
 * With `shuffle`, rewards are dealt anew among the episodes of each group: the negative control, in which
 * every group keeps its mean and spread and no episode its reward.
 * @throws {LearnerError} GROUP_INVALID, ROW_INVALID
 */
export function rowsFromGroups(
  groups: readonly Group[],
  config: AdvantageConfig,
  options: { readonly shuffle?: Random } = {},
): RowBatch {
  const members = orderedMembers(groups).flatMap((group) =>
    options.shuffle === undefined ? group : dealRewards(group, options.shuffle),
  );
  const advantages = computeAdvantages(
    members.map(({ trajectory, score }) => ({
      groupId: trajectory.groupId,
      trajectoryId: trajectory.trajectoryId,
      reward: score.reward,
    })),
    config,
  );
  const rows: TrainingRow[] = [];
  let emptyConversations = 0;
  for (const { trajectory } of members) {
    const advantage = advantages.byTrajectory.get(trajectory.trajectoryId) ?? 0;
    const conversations = [...trajectory.conversations].sort((a, b) => a.step - b.step);
    for (const conversation of conversations) {
      const row = rowOf(conversation, trajectory, advantage);
      if (row.lossMask.includes(1)) rows.push(row);
      else emptyConversations += 1;
    }
  }
  return { rows, advantages, members, emptyConversations };
}

function orderedMembers(groups: readonly Group[]): ScoredTrajectory[][] {
  const seen = new Set<string>();
  for (const { groupId, groupSize, members } of groups) {
    const refuse = (what: string) => {
      throw new LearnerError("GROUP_INVALID", `group ${groupId}: ${what}`, { details: { groupId } });
    };
    if (seen.has(groupId)) refuse("occurs twice in the batch; a group is trained once");
    seen.add(groupId);
    if (groupSize < 2) refuse(`groupSize is ${groupSize}; with fewer than 2 there is nothing to compare`);
    if (members.length > groupSize) refuse(`${members.length} members of ${groupSize}; drop the surplus`);
    const stray = members.find((member) => member.trajectory.groupId !== groupId);
    if (stray !== undefined)
      refuse(`trajectory ${stray.trajectory.trajectoryId} says it belongs to ${stray.trajectory.groupId}`);
  }
  return [...groups].sort((a, b) => compare(a.groupId, b.groupId)).map((group) => sortedMembers(group));
}

function sortedMembers(group: Group): ScoredTrajectory[] {
  return [...group.members].sort(
    ({ trajectory: a }, { trajectory: b }) =>
      a.episodeIndex - b.episodeIndex || compare(a.trajectoryId, b.trajectoryId),
  );
}

/** By UTF-16 code units: the same on every machine, whatever its locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function dealRewards(members: readonly ScoredTrajectory[], random: Random): ScoredTrajectory[] {
  const scores = random.shuffle(members.map((member) => member.score));
  return members.map((member, index) => ({ ...member, score: scores[index] ?? member.score }));
}

function rowOf(
  conversation: Conversation,
  trajectory: { readonly trajectoryId: string; readonly groupId: string },
  advantage: number,
): TrainingRow {
  const { promptTokenIds: prompt, sampledTokenIds: sampled, rolloutLogprobs, lossMask } = conversation;
  const refuse = (what: string) => {
    const { trajectoryId } = trajectory;
    const { step } = conversation;
    throw new LearnerError("ROW_INVALID", `trajectory ${trajectoryId}, conversation ${step}: ${what}`, {
      details: { trajectoryId, step },
    });
  };
  if (prompt.length === 0) refuse("the prompt is empty; the first token has nothing to be predicted from");
  if (rolloutLogprobs.length !== sampled.length)
    refuse(`${rolloutLogprobs.length} rolloutLogprobs for ${sampled.length} sampled tokens`);
  if (lossMask !== undefined && lossMask.length !== sampled.length)
    refuse(`lossMask has ${lossMask.length} entries for ${sampled.length} sampled tokens`);
  const length = prompt.length + sampled.length;
  const tokenIds = new Int32Array(length);
  tokenIds.set(prompt);
  tokenIds.set(sampled, prompt.length);
  const logprobs = new Float32Array(length);
  const mask = new Uint8Array(length);
  for (let i = 0; i < sampled.length; i++) {
    const trained = lossMask === undefined || lossMask[i] === 1;
    const logprob = rolloutLogprobs[i] ?? Number.NaN;
    if (trained && !Number.isFinite(logprob)) refuse(`rolloutLogprobs[${i}] is ${logprob}`);
    logprobs[prompt.length + i] = trained ? logprob : 0;
    mask[prompt.length + i] = trained ? 1 : 0;
  }
  return {
    groupId: trajectory.groupId,
    trajectoryId: trajectory.trajectoryId,
    step: conversation.step,
    tokenIds,
    rolloutLogprobs: logprobs,
    lossMask: mask,
    advantage,
    policyVersion: conversation.policyVersion,
  };
}
