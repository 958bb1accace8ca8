/** The input of one training step as protobuf bytes: groups of the same messages as on the queues. */

import type { Group } from "@palimpsest/memory/records";
import * as proto from "@palimpsest/wire/protocol";
import { decodeMessage } from "./codec-check.js";
import { decodeScore, encodeScore } from "./score-codec.js";
import { trajectoryMessage, trajectoryOfMessage } from "./trajectory-message.js";

/** The inputs of a training step, from which it can be repeated. */
export interface StepDump {
  /** Version of the weights before the step. */
  readonly policyVersion: number;
  /** Whether the step's rewards were shuffled at random. */
  readonly shuffleRewards: boolean;
  readonly groups: readonly Group[];
}

/** @throws {PalimpsestError} CODEC when a trajectory or score is inconsistent */
export function encodeStepDump(dump: StepDump): Uint8Array {
  return proto.StepDump.encode({
    policyVersion: dump.policyVersion,
    shuffleRewards: dump.shuffleRewards,
    groups: dump.groups.map(({ groupId, taskId, groupSize, members }) => ({
      groupId,
      taskId,
      groupSize,
      members: members.map(({ trajectory, score }) => ({
        trajectory: trajectoryMessage(trajectory),
        score: proto.TrajectoryScore.decode(encodeScore(score, { trajectoryId: trajectory.trajectoryId })),
      })),
    })),
  }).finish();
}

/** @throws {PalimpsestError} CODEC */
export function decodeStepDump(bytes: Uint8Array): StepDump {
  const message = decodeMessage("step dump", () => proto.StepDump.decode(bytes));
  return {
    policyVersion: message.policyVersion,
    shuffleRewards: message.shuffleRewards,
    groups: message.groups.map((group) => ({
      groupId: group.groupId ?? "",
      taskId: group.taskId ?? "",
      groupSize: group.groupSize ?? 0,
      members: (group.members ?? []).map(({ trajectory, score }) => ({
        trajectory: trajectoryOfMessage(proto.Trajectory.create(trajectory ?? {})),
        score: decodeScore(proto.TrajectoryScore.encode(score ?? {}).finish()),
      })),
    })),
  };
}
