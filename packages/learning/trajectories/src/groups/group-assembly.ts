import type { Group, ScoredTrajectory, Trajectory } from "@palimpsest/memory/records";
import { PalimpsestError } from "@palimpsest/wire";
import { decodeFailure, type EpisodeFailure, jsonOf } from "../base/episode-failure.js";
import { type GroupSpec, groupSpecSchema, trajectoryIdOf } from "../base/group-spec.js";
import { decodeScore } from "../codec/score-codec.js";
import type { EpisodeRecord, GroupRecord } from "../store/ledger-store.js";

/** A group as its episodes left it, before the decision whether to train on it. */
export interface AssembledGroup {
  readonly group: Group;
  readonly failures: readonly EpisodeFailure[];
}

/** Loads one trajectory of the group; resolves to undefined when it no longer exists. */
export type TrajectoryLoader = (episodeIndex: number, sizeBytes: number) => Promise<Trajectory | undefined>;

/**
 * Returns the specification with which the group was dispatched; undefined when another version wrote it in a form that
 * this version cannot read.
 */
export function specOfRecord(record: GroupRecord): GroupSpec | undefined {
  const spec = groupSpecSchema.safeParse(jsonOf(record.spec));
  return spec.success && spec.data.groupSize === record.episodes.length ? spec.data : undefined;
}

/** Assembles a complete group: an episode with both trajectory and score is a member, any other is a failure (T4). */
export async function assembleGroup(
  groupId: string,
  record: GroupRecord,
  load: TrajectoryLoader,
): Promise<AssembledGroup> {
  const spec = specOfRecord(record);
  const ends = await Promise.all(
    record.episodes.map(async (episode, index) =>
      spec === undefined ? unreadable(groupId, index) : await endOf(groupId, index, episode, load),
    ),
  );
  return {
    group: {
      groupId,
      taskId: spec?.taskId ?? "",
      groupSize: record.episodes.length,
      members: ends.flatMap((end) => ("score" in end ? [end] : [])),
    },
    failures: ends.flatMap((end) => ("score" in end ? [] : [end])),
  };
}

function unreadable(groupId: string, index: number): EpisodeFailure {
  const message = "another version of Palimpsest wrote the group's entry in the ledger";
  return { trajectoryId: trajectoryIdOf(groupId, index), groupId, stage: "group", message };
}

async function endOf(
  groupId: string,
  index: number,
  { trajectoryBytes, score, failure }: EpisodeRecord,
  load: TrajectoryLoader,
): Promise<ScoredTrajectory | EpisodeFailure> {
  const failed = (stage: EpisodeFailure["stage"], message: string): EpisodeFailure => ({
    trajectoryId: trajectoryIdOf(groupId, index),
    groupId,
    stage,
    message,
  });
  if (failure !== undefined) {
    const { stage, message } = decodeFailure(failure);
    return failed(stage, message);
  }
  if (trajectoryBytes === undefined || score === undefined) {
    return failed(
      "group",
      `${score ? "its trajectory" : "its score"} is not in Redis: it was lost or has expired`,
    );
  }
  try {
    const decoded = decodeScore(score);
    const trajectory = await load(index, trajectoryBytes);
    return trajectory
      ? { trajectory, score: decoded }
      : failed("group", "its trajectory is not in Redis: it was lost or has expired");
  } catch (error) {
    // A store that cannot be read is not the episode's fault.
    if (error instanceof PalimpsestError && error.code === "CODEC") {
      return failed("group", error.message);
    }
    throw error;
  }
}

/** Reasons for which the learner rejects a group that could be trained on. */
export type RejectReason = "ZERO_VARIANCE";

/** The reasons for which groups leave training. */
export const failureReasons = [
  "BELOW_MIN_GROUP_SIZE",
  "STALE_POLICY",
  "UNREADABLE",
  "ZERO_VARIANCE",
] as const satisfies readonly (DropReason | RejectReason)[];

/** Why a complete group is not trained. */
export type DropReason = "BELOW_MIN_GROUP_SIZE" | "STALE_POLICY" | "UNREADABLE";

export interface TrainingRules {
  /** A group with fewer members than this is dropped as a whole. */
  readonly minGroupSize: number;
  /** Current version of the learner's weights. Absent: staleness is ignored. */
  readonly policyVersion?: number;
  /** How many policy versions a trajectory may be behind (T2). */
  readonly maxStaleness?: number;
}

/** Returns why a group may not be trained on, or undefined when it may. */
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
