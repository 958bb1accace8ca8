/** What a learner asks of its run's groups, and what it gets. */
import type { Group } from "@palimpsest/memory/records";
import type { EpisodeFailure } from "./episode-failure.js";
import type { DropReason } from "./group-assembly.js";

export interface GroupConsumerOptions {
  /** Members that a group needs to be trained. Default 2: one member has no advantage over itself. */
  readonly minGroupSize?: number;
  /** Policy versions that a trajectory may lie behind `policyVersion` of the request. Default: any number. */
  readonly maxStaleness?: number;
  /** Group ids that the restored checkpoint was trained on. A function is called after the run was taken over: a checkpoint
   *  that is read before may be older than what the learner before this one could still acknowledge. */
  readonly alreadyConsumed?: Iterable<string> | (() => Promise<Iterable<string>>);
  /** Group ids that the restored checkpoint says were rejected; called after `alreadyConsumed`. */
  readonly alreadyRejected?: () => Iterable<string>;
}

export interface NextGroupsRequest {
  /** Groups to wait for, good and dropped ones together. */
  readonly count: number;
  /** Only these groups; others are kept for later. Absent: any. */
  readonly groupIds?: readonly string[];
  /** Only groups of this training step; others are kept for later. Absent: any. */
  readonly step?: number;
  /** Version of the learner's weights, for staleness. */
  readonly policyVersion?: number;
  readonly signal?: AbortSignal;
}

export interface DroppedGroup {
  readonly groupId: string;
  /** "" and 0 where the group's entry was written by another version. */
  readonly taskId: string;
  readonly step: number;
  readonly reason: DropReason;
}

export interface GroupBatch {
  /** To train and then acknowledge. */
  readonly groups: readonly Group[];
  /** Failed whole and already counted; nothing to acknowledge. */
  readonly dropped: readonly DroppedGroup[];
  /** Every episode that left a group of this batch. */
  readonly failures: readonly EpisodeFailure[];
}
