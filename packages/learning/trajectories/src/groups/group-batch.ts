/** The types of a learner's requests for groups and of their results. */
import type { Group } from "@palimpsest/memory/records";
import type { EpisodeFailure } from "../base/episode-failure.js";
import type { DropReason } from "./group-assembly.js";

/** Which complete groups a learner takes. */
export interface GroupConsumerOptions {
  /** Members that a group needs to be trained on. Default 2, because a single member has no advantage over itself. */
  readonly minGroupSize?: number;
  /** How many policy versions a trajectory may be behind the request's `policyVersion`. Default: any number. */
  readonly maxStaleness?: number;
  /**
   * Ids of the groups that the restored checkpoint was trained on. A function is called after the run was taken over,
   * because a checkpoint that is read earlier may be older than what the previous learner could still acknowledge.
   */
  readonly alreadyConsumed?: Iterable<string> | (() => Promise<Iterable<string>>);
  /**
   * Ids of the groups that were rejected according to the restored checkpoint. It is called after `alreadyConsumed`.
   */
  readonly alreadyRejected?: () => Iterable<string>;
}

/** How many groups a step needs, or which. */
export interface NextGroupsRequest {
  /** Number of groups to wait for, including dropped ones. */
  readonly count: number;
  /** When given, only these groups are returned, and others are kept for later. */
  readonly groupIds?: readonly string[];
  /** When given, only groups of this training step are returned, and others are kept for later. */
  readonly step?: number;
  /** Version of the learner's weights, from which staleness is computed. */
  readonly policyVersion?: number;
  readonly signal?: AbortSignal;
}

/** A complete group that is not trained. */
export interface DroppedGroup {
  readonly groupId: string;
  /** `taskId` is "" and `step` is 0 when another version wrote the group's entry. */
  readonly taskId: string;
  readonly step: number;
  readonly reason: DropReason;
}

/** The groups of a step, those that were dropped, and the episodes that failed. */
export interface GroupBatch {
  /** Groups to train on and then acknowledge. */
  readonly groups: readonly Group[];
  /** Groups that failed as a whole and are already counted. They need no acknowledgement. */
  readonly dropped: readonly DroppedGroup[];
  /** Every episode that left a group of this batch. */
  readonly failures: readonly EpisodeFailure[];
}
