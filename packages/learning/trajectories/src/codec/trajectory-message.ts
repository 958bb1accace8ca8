/**
 * Converts trajectories to messages of `protos/`: complete in the dumps of steps, and without the numbers of their
 * conversations in the payloads of the queues, which store those separately.
 */

import type {
  Conversation,
  ConversationKind,
  MemoryStep,
  StopReason,
  Trajectory,
  TrajectoryHead,
} from "@palimpsest/memory/records";
import { plainSampling, type Sampling } from "@palimpsest/memory/records";
import type * as proto from "@palimpsest/wire/protocol";
import { check, oneOf } from "./codec-check.js";
import { decodeStoreDiff, encodeStoreDiff } from "./memory-record-codec.js";
import { firstNoRolloutLogprob, firstNotFinite } from "./trajectory-columns.js";
import { checkVersionRuns, versionRunsMessage, versionRunsOf } from "./version-runs.js";

/**
 * The words for kinds and stop reasons in the formats. Formats also identify them by their index in these lists, so new
 * words must be added at the end.
 */
export const conversationKinds: readonly ConversationKind[] = ["memory", "final", "tool"];
export const stopReasons: readonly StopReason[] = ["stop", "length", "abort"];

/** Converts everything of a trajectory but its conversations to a message. */
export function factsMessage(trajectory: Trajectory): proto.Trajectory.$Properties {
  return {
    ...trajectory,
    conversations: [],
    versionRuns: versionRunsMessage(trajectory.conversations),
    memorySteps: [...trajectory.memorySteps],
    storeDiff: trajectory.storeDiff ? encodeStoreDiff(trajectory.storeDiff) : null,
    counters: { ...trajectory.counters },
  };
}

/**
 * Converts a trajectory with all of its numbers to a message.
 * @throws {PalimpsestError} CODEC when the trajectory is inconsistent
 */
export function trajectoryMessage(trajectory: Trajectory): proto.Trajectory.$Properties {
  checkTrajectory(trajectory);
  return {
    ...factsMessage(trajectory),
    conversations: trajectory.conversations.map((conversation) => ({
      ...conversation,
      promptTokenIds: Array.from(conversation.promptTokenIds),
      sampledTokenIds: Array.from(conversation.sampledTokenIds),
      rolloutLogprobs: Array.from(conversation.rolloutLogprobs),
      sampledLogprobs: Array.from(conversation.sampledLogprobs ?? []),
      lossMask: Uint8Array.from(conversation.lossMask ?? []),
    })),
  };
}

/** @throws {PalimpsestError} CODEC when the trajectory is inconsistent */
export function trajectoryOfMessage(message: proto.Trajectory): Trajectory {
  const versionRuns = versionRunsOf(message.versionRuns);
  const conversations = message.conversations.map((conversation, index): Conversation => {
    const runs = versionRuns.get(index);
    const lossMask = conversation.lossMask ?? new Uint8Array();
    const sampledLogprobs = conversation.sampledLogprobs ?? [];
    return {
      kind: oneOf(conversationKinds, conversation.kind, `conversations[${index}].kind`),
      step: conversation.step ?? 0,
      promptTokenIds: conversation.promptTokenIds ?? [],
      sampledTokenIds: conversation.sampledTokenIds ?? [],
      rolloutLogprobs: conversation.rolloutLogprobs ?? [],
      ...(sampledLogprobs.length > 0 ? { sampledLogprobs } : {}),
      sampling: samplingOf(conversation.sampling),
      ...(lossMask.length > 0 ? { lossMask: Array.from(lossMask) } : {}),
      stopReason: oneOf(stopReasons, conversation.stopReason, `conversations[${index}].stop_reason`),
      policyVersion: conversation.policyVersion ?? 0,
      ...(runs ? { versionRuns: runs } : {}),
    };
  });
  const trajectory = { ...factsOf(message), conversations };
  checkTrajectory(trajectory);
  return trajectory;
}

function samplingOf(message: proto.Sampling.$Properties | null | undefined): Sampling {
  if (!message) return plainSampling;
  // Protobuf omits zeros, which mean greedy sampling and no truncation. The checks refuse a top-p of 0.
  const { temperature, topP, topK, minP } = message;
  return { temperature: temperature ?? 0, topP: topP ?? 0, topK: topK ?? 0, minP: minP ?? 0 };
}

/** Returns everything of the message but its conversations. */
export function factsOf(message: proto.Trajectory): Omit<Trajectory, "conversations"> {
  return {
    trajectoryId: message.trajectoryId,
    groupId: message.groupId,
    taskId: message.taskId,
    episodeIndex: message.episodeIndex,
    agent: message.agent,
    policyVersionMin: message.policyVersionMin,
    policyVersionMax: message.policyVersionMax,
    weightsHash: message.weightsHash,
    answer: message.answer,
    memorySteps: message.memorySteps.map(decodeMemoryStep),
    startedAtMs: message.startedAtMs,
    endedAtMs: message.endedAtMs,
    actorId: message.actorId,
    droppedDocumentTokens: message.droppedDocumentTokens,
    ...(message.storeDiff ? { storeDiff: decodeStoreDiff(message.storeDiff) } : {}),
    ...(Object.keys(message.counters).length > 0 ? { counters: { ...message.counters } } : {}),
    ...(message.traceparent ? { traceparent: message.traceparent } : {}),
  };
}

function decodeMemoryStep(message: proto.MemoryStep.$Properties): MemoryStep {
  return {
    step: message.step ?? 0,
    documentTokenStart: message.documentTokenStart ?? 0,
    documentTokenEnd: message.documentTokenEnd ?? 0,
    memory: message.memory ?? "",
    ...(message.head ? { head: message.head } : {}),
    ...(message.written == null ? {} : { written: message.written }),
    ...(message.exit == null ? {} : { exit: message.exit }),
    recalled: message.recalled ?? "",
    ...(message.recallQuery ? { recallQuery: message.recallQuery } : {}),
    ...(message.found ? { found: message.found } : {}),
    ...(message.section ? { section: message.section } : {}),
    ...(message.reply ? { reply: message.reply } : {}),
  };
}

/** @throws {PalimpsestError} CODEC naming the first invalid field of the head */
export function checkHead(trajectory: TrajectoryHead): void {
  for (const field of ["trajectoryId", "groupId", "taskId"] as const) {
    check(trajectory[field] !== "", field, "is empty");
  }
  check(
    trajectory.policyVersionMin <= trajectory.policyVersionMax,
    "policyVersionMin",
    `${trajectory.policyVersionMin} is greater than policyVersionMax ${trajectory.policyVersionMax}`,
  );
  for (const [name, value] of Object.entries(trajectory.counters ?? {})) {
    check(Number.isFinite(value), `counters.${name}`, `is ${value}`);
  }
  for (const [index, conversation] of trajectory.conversations.entries()) {
    checkSampling(conversation.sampling, `conversations[${index}].sampling`);
    checkVersionRuns(conversation, `conversations[${index}]`);
  }
}

function checkSampling({ temperature, topP, topK, minP }: Sampling, at: string): void {
  if (!(temperature >= 0 && temperature < Number.POSITIVE_INFINITY)) {
    check(false, `${at}.temperature`, `is ${temperature}, but must be a finite number ≥ 0`);
  }
  if (!(topP > 0 && topP <= 1)) {
    check(false, `${at}.topP`, `is ${topP}, but must be above 0 and at most 1`);
  }
  if (topK >>> 0 !== topK || topK > 0x7fffffff) {
    check(false, `${at}.topK`, `is ${topK}, but must be a whole number from 0 to 2^31 - 1`);
  }
  if (!(minP >= 0 && minP <= 1)) {
    check(false, `${at}.minP`, `is ${minP}, but must be from 0 to 1`);
  }
}

/** @throws {PalimpsestError} CODEC naming the first invalid field of the head or column of another length */
export function checkLengths(trajectory: Trajectory): void {
  checkHead(trajectory);
  for (const [index, conversation] of trajectory.conversations.entries()) {
    const { sampledTokenIds, rolloutLogprobs, sampledLogprobs, lossMask } = conversation;
    const { length } = sampledTokenIds;
    for (const [name, column] of [
      ["rolloutLogprobs", rolloutLogprobs],
      ["sampledLogprobs", sampledLogprobs],
      ["lossMask", lossMask],
    ] as const) {
      if (column !== undefined && column.length !== length) {
        check(
          false,
          `conversations[${index}].${name}`,
          `has ${column.length} numbers for ${length} sampled tokens`,
        );
      }
    }
  }
}

function checkTrajectory(trajectory: Trajectory): void {
  checkLengths(trajectory);
  for (const [index, { rolloutLogprobs, sampledLogprobs = [] }] of trajectory.conversations.entries()) {
    const drawn = sampledLogprobs.length > 0;
    for (const [name, column] of Object.entries({ rolloutLogprobs, sampledLogprobs })) {
      const first = name === "rolloutLogprobs" ? firstNoRolloutLogprob : firstNotFinite;
      const at = first(Float32Array.from(column), 0, column.length, drawn);
      check(
        at < 0,
        `conversations[${index}].${name}[${at}]`,
        `is ${column[at]}, but must be a finite float32`,
      );
    }
  }
}
