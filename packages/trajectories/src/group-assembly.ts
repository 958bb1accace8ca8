import { decodeScore, decodeTrajectory } from "./codec.js";
import { type GroupSpec, trajectoryIdsOf } from "./group-spec.js";
import type { GroupPayloads } from "./payload-store.js";
import { rolloutFailurePrefix } from "./reward-consumer.js";
import type { EpisodeFailure } from "./run-ledger.js";
import type { Group, ScoredTrajectory } from "./trajectory.js";

/** A group as its episodes left it, before anyone decides whether to train it. */
export interface AssembledGroup {
  readonly group: Group;
  readonly failures: readonly EpisodeFailure[];
}

/** Puts a finished group together: an episode with both trajectory and score is a member, any other is a failure (T4).
 *  @param errors  message of each failed reward job by trajectory id */
export function assembleGroup(
  spec: GroupSpec,
  payloads: GroupPayloads,
  errors: ReadonlyMap<string, string>,
): AssembledGroup {
  const members: ScoredTrajectory[] = [];
  const failures: EpisodeFailure[] = [];
  for (const [index, trajectoryId] of trajectoryIdsOf(spec).entries()) {
    const trajectory = payloads.trajectories[index];
    const score = payloads.scores[index];
    const failed = (stage: EpisodeFailure["stage"], message: string): void => {
      failures.push({ trajectoryId, groupId: spec.groupId, stage, message });
    };
    if (trajectory && score) {
      try {
        members.push({ trajectory: decodeTrajectory(trajectory), score: decodeScore(score) });
      } catch (error) {
        failed("group", error instanceof Error ? error.message : String(error));
      }
      continue;
    }
    const message = errors.get(trajectoryId);
    if (message?.startsWith(rolloutFailurePrefix)) {
      failed("rollout", message.slice(rolloutFailurePrefix.length));
    } else if (message !== undefined) {
      failed("reward", message);
    } else {
      failed("group", `${trajectory ? "its score" : "its trajectory"} is not in Redis: lost or expired`);
    }
  }
  return {
    group: { groupId: spec.groupId, taskId: spec.taskId, groupSize: spec.groupSize, members },
    failures,
  };
}

export type DropReason = "BELOW_MIN_GROUP_SIZE" | "STALE_POLICY";

export interface TrainingRules {
  /** Fewer members than this: the group is dropped whole. */
  readonly minGroupSize: number;
  /** Version of the learner's weights now. Absent: staleness is not looked at. */
  readonly policyVersion?: number;
  /** Policy versions that a trajectory may lie behind (T2). */
  readonly maxStaleness?: number;
}

/** Why a group may not be trained, or undefined when it may. */
export function dropReason({ members }: Group, rules: TrainingRules): DropReason | undefined {
  if (members.length < rules.minGroupSize) {
    return "BELOW_MIN_GROUP_SIZE";
  }
  if (rules.policyVersion === undefined || rules.maxStaleness === undefined) {
    return undefined;
  }
  const oldest = rules.policyVersion - rules.maxStaleness;
  return members.some(({ trajectory }) => trajectory.policyVersionMin < oldest) ? "STALE_POLICY" : undefined;
}
