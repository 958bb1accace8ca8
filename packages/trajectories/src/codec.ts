/** Trajectories and scores as protobuf bytes.
 *  Numbers keep their width: log-probabilities are float32, rewards float64. What does not hold together
 *  (lengths that differ, unknown words, numbers that are not finite) is an error in both directions. */
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { decodeStoreDiff, encodeStoreDiff } from "./memory-record-codec.js";
import type {
  Conversation,
  ConversationKind,
  MemoryStep,
  Score,
  StopReason,
  Trajectory,
} from "./trajectory.js";

const conversationKinds: readonly ConversationKind[] = ["memory", "final", "tool"];
const stopReasons: readonly StopReason[] = ["stop", "length", "abort"];

/** @throws {PalimpsestError} CODEC when the trajectory does not hold together */
export function encodeTrajectory(trajectory: Trajectory): Uint8Array {
  checkTrajectory(trajectory);
  return proto.Trajectory.encode({
    ...trajectory,
    conversations: trajectory.conversations.map((conversation) => ({
      kind: conversation.kind,
      step: conversation.step,
      promptTokenIds: [...conversation.promptTokenIds],
      sampledTokenIds: [...conversation.sampledTokenIds],
      rolloutLogprobs: [...conversation.rolloutLogprobs],
      lossMask: Uint8Array.from(conversation.lossMask ?? []),
      stopReason: conversation.stopReason,
      policyVersion: conversation.policyVersion,
    })),
    memorySteps: trajectory.memorySteps.map((step) => ({ ...step })),
    storeDiff: trajectory.storeDiff ? encodeStoreDiff(trajectory.storeDiff) : null,
    counters: { ...trajectory.counters },
  }).finish();
}

/** @throws {PalimpsestError} CODEC */
export function decodeTrajectory(bytes: Uint8Array): Trajectory {
  const message = decodeMessage("trajectory", () => proto.Trajectory.decode(bytes));
  const trajectory: Trajectory = {
    trajectoryId: message.trajectoryId,
    groupId: message.groupId,
    taskId: message.taskId,
    episodeIndex: message.episodeIndex,
    agent: message.agent,
    policyVersionMin: message.policyVersionMin,
    policyVersionMax: message.policyVersionMax,
    weightsHash: message.weightsHash,
    conversations: message.conversations.map(decodeConversation),
    answer: message.answer,
    memorySteps: message.memorySteps.map(decodeMemoryStep),
    startedAtMs: message.startedAtMs,
    endedAtMs: message.endedAtMs,
    actorId: message.actorId,
    droppedDocumentTokens: message.droppedDocumentTokens,
    ...(message.storeDiff ? { storeDiff: decodeStoreDiff(message.storeDiff) } : {}),
    ...(Object.keys(message.counters).length > 0 ? { counters: { ...message.counters } } : {}),
  };
  checkTrajectory(trajectory);
  return trajectory;
}

function decodeConversation(message: proto.Conversation.$Properties, index: number): Conversation {
  const lossMask = message.lossMask ?? new Uint8Array();
  return {
    kind: oneOf(conversationKinds, message.kind, `conversations[${index}].kind`),
    step: message.step ?? 0,
    promptTokenIds: message.promptTokenIds ?? [],
    sampledTokenIds: message.sampledTokenIds ?? [],
    rolloutLogprobs: message.rolloutLogprobs ?? [],
    ...(lossMask.length > 0 ? { lossMask: Array.from(lossMask) } : {}),
    stopReason: oneOf(stopReasons, message.stopReason, `conversations[${index}].stop_reason`),
    policyVersion: message.policyVersion ?? 0,
  };
}

function decodeMemoryStep(message: proto.MemoryStep.$Properties): MemoryStep {
  return {
    step: message.step ?? 0,
    documentTokenStart: message.documentTokenStart ?? 0,
    documentTokenEnd: message.documentTokenEnd ?? 0,
    memory: message.memory ?? "",
    recalled: message.recalled ?? "",
    ...(message.recallQuery ? { recallQuery: message.recallQuery } : {}),
    ...(message.found ? { found: message.found } : {}),
    ...(message.section ? { section: message.section } : {}),
    ...(message.reply ? { reply: message.reply } : {}),
  };
}

function checkTrajectory(trajectory: Trajectory): void {
  for (const field of ["trajectoryId", "groupId", "taskId"] as const) {
    check(trajectory[field] !== "", field, "is empty");
  }
  check(
    trajectory.policyVersionMin <= trajectory.policyVersionMax,
    "policyVersionMin",
    `${trajectory.policyVersionMin} is above policyVersionMax ${trajectory.policyVersionMax}`,
  );
  for (const [name, value] of Object.entries(trajectory.counters ?? {})) {
    check(Number.isFinite(value), `counters.${name}`, `is ${value}`);
  }
  trajectory.conversations.forEach((conversation, index) => {
    const { sampledTokenIds, rolloutLogprobs, lossMask } = conversation;
    const at = `conversations[${index}]`;
    check(
      rolloutLogprobs.length === sampledTokenIds.length,
      `${at}.rolloutLogprobs`,
      `has ${rolloutLogprobs.length} numbers for ${sampledTokenIds.length} sampled tokens`,
    );
    check(rolloutLogprobs.every(Number.isFinite), `${at}.rolloutLogprobs`, "has a number that is not finite");
    check(
      lossMask === undefined || lossMask.length === sampledTokenIds.length,
      `${at}.lossMask`,
      `has ${lossMask?.length} numbers for ${sampledTokenIds.length} sampled tokens`,
    );
  });
}

export interface EncodeScoreOptions {
  readonly trajectoryId: string;
  /** Actor that scored it. */
  readonly actorId?: string;
}

/** @throws {PalimpsestError} CODEC when a number is not finite */
export function encodeScore(score: Score, options: EncodeScoreOptions): Uint8Array {
  checkScore(score);
  return proto.TrajectoryScore.encode({
    trajectoryId: options.trajectoryId,
    reward: score.reward,
    components: { ...score.components },
    stepRewards: [...(score.stepRewards ?? [])],
    actorId: options.actorId ?? "",
  }).finish();
}

/** A message that carries a failure is that error, thrown: it is never a zero reward (T4).
 *  @throws {PalimpsestError} CODEC */
export function decodeScore(bytes: Uint8Array): Score {
  const message = decodeMessage("score", () => proto.TrajectoryScore.decode(bytes));
  check(!message.failure, "failure", `says that it was not scored: ${message.failure?.message}`);
  const score: Score = {
    reward: message.reward,
    components: { ...message.components },
    ...(message.stepRewards.length > 0 ? { stepRewards: message.stepRewards } : {}),
  };
  checkScore(score);
  return score;
}

function checkScore(score: Score): void {
  check(Number.isFinite(score.reward), "reward", `is ${score.reward}`);
  for (const [name, value] of Object.entries(score.components)) {
    check(Number.isFinite(value), `components.${name}`, `is ${value}`);
  }
  check((score.stepRewards ?? []).every(Number.isFinite), "stepRewards", "has a number that is not finite");
}

export function decodeMessage<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new PalimpsestError("CODEC", `bytes are no ${what} message`, { cause });
  }
}

function oneOf<T extends string>(words: readonly T[], value: string | null | undefined, field: string): T {
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) {
    throw new PalimpsestError("CODEC", `${field} is "${value}"; known are ${words.join(", ")}`);
  }
  return word;
}

function check(holds: boolean, field: string, fault: string): void {
  if (!holds) {
    throw new PalimpsestError("CODEC", `${field} ${fault}`);
  }
}
