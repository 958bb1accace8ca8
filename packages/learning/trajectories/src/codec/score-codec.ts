/**
 * Encodes scores as protobuf bytes; rewards are float64. A number that is not finite is an error in both directions.
 */

import type { Score } from "@palimpsest/memory/records";
import * as proto from "@palimpsest/wire/protocol";
import { check, decodeMessage } from "./codec-check.js";

/** Of which trajectory a score is, and who has scored it. */
export interface EncodeScoreOptions {
  readonly trajectoryId: string;
  /** The actor that scored it. */
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
    traceparent: score.traceparent ?? "",
  }).finish();
}

/**
 * Decodes a score. When the message carries a failure, that error is thrown: a failure is never a zero reward (T4).
 * @throws {PalimpsestError} CODEC
 */
export function decodeScore(bytes: Uint8Array): Score {
  const message = decodeMessage("score", () => proto.TrajectoryScore.decode(bytes));
  check(!message.failure, "failure", `carries a failure instead of a score: ${message.failure?.message}`);
  const score: Score = {
    reward: message.reward,
    components: { ...message.components },
    ...(message.stepRewards.length > 0 ? { stepRewards: message.stepRewards } : {}),
    ...(message.traceparent ? { traceparent: message.traceparent } : {}),
  };
  checkScore(score);
  return score;
}

function checkScore(score: Score): void {
  check(Number.isFinite(score.reward), "reward", `is ${score.reward}`);
  for (const [name, value] of Object.entries(score.components)) {
    check(Number.isFinite(value), `components.${name}`, `is ${value}`);
  }
  check(
    (score.stepRewards ?? []).every(Number.isFinite),
    "stepRewards",
    "contains a number that is not finite",
  );
}
