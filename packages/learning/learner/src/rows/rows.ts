import {
  type Conversation,
  type Group,
  isPlain,
  isTruncated,
  type Sampling,
  type ScoredTrajectory,
} from "@palimpsest/trajectories";
import { LearnerError } from "../config/error.js";
import type { ImportanceConfig, OverlongConfig } from "../config/loss-config.js";
import type { Random } from "../config/random.js";
import type { GroupAdvantage } from "../loss/define-advantage.js";
import { type AssignmentConfig, assignAdvantages } from "./advantage-assignment.js";
import { isOverlong, overlongPenalty } from "./overlong.js";
import type { ConversationRow, GatheredRows, RowBatch } from "./training-row.js";

/**
 * Converts groups to rows. The order of groups, of members and of conversations does not change the result.
 * With `shuffle`, rewards are permuted among the episodes of each group: the negative control, in which
 * every group keeps its mean and spread but no episode its own reward.
 * @param own the export of the estimator's module, if it names one
 * @throws {LearnerError} GROUP_INVALID, ROW_INVALID
 */
export function rowsFromGroups(
  groups: readonly Group[],
  config: AssignmentConfig,
  options: GatherOptions = {},
  own?: GroupAdvantage,
): RowBatch {
  return assignAdvantages(gatherRows(groups, options), config, own);
}

export interface GatherOptions {
  /** Permutes rewards within their groups. */
  readonly shuffle?: Random;
  readonly overlong?: OverlongConfig;
  /** The importance correction, without which conversations drawn with truncation are refused. Default none. */
  readonly importance?: ImportanceConfig;
  /** Whether the model's tokenizer has no token with this id. Default: it has every id. */
  readonly isTokenless?: (id: number) => boolean;
}

/** The first half of `rowsFromGroups`: everything but the advantages. */
export function gatherRows(groups: readonly Group[], options: GatherOptions = {}): GatheredRows {
  const { shuffle, overlong = { kind: "none" }, importance = { kind: "none" } } = options;
  const { isTokenless = () => false } = options;
  const members = orderedMembers(groups).flatMap((group) =>
    shuffle === undefined ? group : dealRewards(group, shuffle),
  );
  const rows: ConversationRow[] = [];
  const penalties = new Map<string, number>();
  let emptyConversations = 0;
  let overlongTrajectories = 0;
  for (const { trajectory } of members) {
    const penalty = overlongPenalty(trajectory, overlong);
    if (penalty > 0) penalties.set(trajectory.trajectoryId, penalty);
    const conversations = [...trajectory.conversations].sort((a, b) => a.step - b.step);
    const made = conversations.map((conversation) =>
      rowOf(conversation, trajectory, importance, isTokenless),
    );
    if (isOverlong(trajectory, overlong)) {
      overlongTrajectories += 1;
      continue;
    }
    for (const row of made) {
      if (row.lossMask.includes(1)) rows.push(row);
      else emptyConversations += 1;
    }
  }
  return { rows, members, penalties, emptyConversations, overlongTrajectories };
}

function orderedMembers(groups: readonly Group[]): ScoredTrajectory[][] {
  const seen = new Set<string>();
  for (const { groupId, groupSize, members } of groups) {
    const refuse = (what: string) => {
      throw new LearnerError("GROUP_INVALID", `group ${groupId}: ${what}`, { details: { groupId } });
    };
    if (seen.has(groupId)) refuse("occurs twice in the batch; give each group once");
    seen.add(groupId);
    if (groupSize < 2)
      refuse(`groupSize is ${groupSize}, but an advantage needs at least 2 episodes to compare`);
    if (members.length > groupSize)
      refuse(`has ${members.length} members, but groupSize is ${groupSize}; leave out the surplus`);
    const stray = members.find((member) => member.trajectory.groupId !== groupId);
    if (stray !== undefined)
      refuse(
        `contains trajectory ${stray.trajectory.trajectoryId}, whose groupId is ${stray.trajectory.groupId}`,
      );
  }
  return [...groups].sort((a, b) => compare(a.groupId, b.groupId)).map((group) => sortedMembers(group));
}

function sortedMembers(group: Group): ScoredTrajectory[] {
  return [...group.members].sort(
    ({ trajectory: a }, { trajectory: b }) =>
      a.episodeIndex - b.episodeIndex || compare(a.trajectoryId, b.trajectoryId),
  );
}

/** Compares by UTF-16 code units, which is the same on every machine, whatever its locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function dealRewards(members: readonly ScoredTrajectory[], random: Random): ScoredTrajectory[] {
  const scores = random.shuffle(members.map((member) => member.score));
  // Step rewards are permuted among the episodes that have the step.
  const bySteps = members.map((member) => [...(member.score.stepRewards ?? [])]);
  const longest = bySteps.reduce((max, rewards) => Math.max(max, rewards.length), 0);
  for (let step = 0; step < longest; step++) {
    const having = bySteps.filter((rewards) => rewards.length > step);
    const dealt = random.shuffle(having.map((rewards) => rewards[step] ?? 0));
    having.forEach((rewards, index) => {
      rewards[step] = dealt[index] ?? 0;
    });
  }
  return members.map((member, index) => {
    const { stepRewards: _own, ...score } = scores[index] ?? member.score;
    const stepRewards = bySteps[index] ?? [];
    return { ...member, score: stepRewards.length === 0 ? score : { ...score, stepRewards } };
  });
}

function rowOf(
  conversation: Conversation,
  trajectory: { readonly trajectoryId: string; readonly groupId: string },
  importance: ImportanceConfig,
  isTokenless: (id: number) => boolean,
): ConversationRow {
  const { promptTokenIds: prompt, sampledTokenIds: sampled, rolloutLogprobs, lossMask } = conversation;
  const { sampling, sampledLogprobs } = conversation;
  const refuse = (what: string) => {
    const { trajectoryId } = trajectory;
    const { step } = conversation;
    throw new LearnerError("ROW_INVALID", `trajectory ${trajectoryId}, conversation ${step}: ${what}`, {
      details: { trajectoryId, step },
    });
  };
  if (prompt.length === 0)
    refuse(
      "the prompt is empty, so there is nothing from which the first token could be predicted; give a prompt of at least one token",
    );
  if (rolloutLogprobs.length !== sampled.length)
    refuse(`${rolloutLogprobs.length} rolloutLogprobs for ${sampled.length} sampled tokens`);
  if (lossMask !== undefined && lossMask.length !== sampled.length)
    refuse(`lossMask has ${lossMask.length} entries for ${sampled.length} sampled tokens`);
  if (sampledLogprobs !== undefined && sampledLogprobs.length !== sampled.length)
    refuse(`${sampledLogprobs.length} sampledLogprobs for ${sampled.length} sampled tokens`);
  const drawn = isPlain(sampling) ? rolloutLogprobs : sampledLogprobs;
  const length = prompt.length + sampled.length;
  const tokenIds = new Int32Array(length);
  tokenIds.set(prompt);
  tokenIds.set(sampled, prompt.length);
  const logprobs = new Float32Array(length);
  const mask = new Uint8Array(length);
  for (let i = 0; i < sampled.length; i++) {
    // An engine may sample ids without a token; the policy never does, so there is nothing to train.
    const trained = (lossMask === undefined || lossMask[i] === 1) && !isTokenless(sampled[i] as number);
    const logprob = drawn?.[i] ?? Number.NaN;
    if (trained && drawn !== undefined && !Number.isFinite(logprob))
      refuse(`${drawn === rolloutLogprobs ? "rolloutLogprobs" : "sampledLogprobs"}[${i}] is ${logprob}`);
    logprobs[prompt.length + i] = trained ? logprob : 0;
    mask[prompt.length + i] = trained ? 1 : 0;
  }
  if (mask.includes(1)) {
    const fault = samplingFault(sampling, drawn !== undefined, importance);
    if (fault !== undefined) refuse(fault);
  }
  return {
    groupId: trajectory.groupId,
    trajectoryId: trajectory.trajectoryId,
    step: conversation.step,
    tokenIds,
    rolloutLogprobs: logprobs,
    temperature: sampling.temperature,
    truncated: isTruncated(sampling),
    lossMask: mask,
    policyVersion: conversation.policyVersion,
  };
}

/** Returns why tokens that were drawn in this way cannot be trained; undefined if they can. */
function samplingFault(sampling: Sampling, known: boolean, importance: ImportanceConfig): string | undefined {
  const { temperature, topP, topK, minP } = sampling;
  if (!(temperature > 0 && Number.isFinite(temperature)))
    return `sampling.temperature is ${temperature}, but a greedy sample has no distribution to train; sample at a temperature above 0`;
  if (isTruncated(sampling) && importance.kind === "none")
    return `sampling has topP ${topP}, topK ${topK}, minP ${minP}, but the learner trains the policy without truncation; sample without truncation, or set importance, which corrects for it`;
  if (!known)
    return `sampledLogprobs are absent at temperature ${temperature}, topP ${topP}, topK ${topK}, minP ${minP}, so it is not known from which distribution the engine drew; sample at temperature 1 without truncation, or use an engine that reports them`;
  return undefined;
}
