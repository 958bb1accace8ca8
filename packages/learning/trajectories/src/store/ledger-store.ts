/**
 * Responsibility: the state of one run's groups as a set of named operations, each of which happens as a whole or not
 * at all.
 * Not responsible for: the content of the bytes, waiting, or the jobs that do the work.
 *
 * Invariants, which every implementation keeps and `ledger-store.test.ts` checks for all of them:
 * - LEDGER-1 (T1). A claimed group is in exactly one of outstanding, trained and failed, and leaves outstanding once.
 * - LEDGER-2 (T1). Episodes dispatched = trained + failed + dropped + those of outstanding groups.
 * - LEDGER-3. A claim is refused while as many groups are outstanding, or as many bytes are expected of them, as the
 *   limits allow. One group may always be outstanding, however large it is.
 * - LEDGER-4. Only the learner with the newest epoch closes groups and reads complete ones. A learner with an older
 *   epoch, or with the same number but another token, is told that it is fenced. A store that has lost the newest
 *   epoch takes it over from the learner that has it.
 * - LEDGER-5 (T1). The first trajectory and the first score or failure recorded for an episode stay. Later ones change
 *   nothing, so a consumer that was wrongly taken for dead cannot change what was scored or trained on.
 * - LEDGER-6. Nothing is stored for a group that is not outstanding, nor a trajectory for an episode that has ended.
 * - LEDGER-7 (T1). A group is complete from the operation that records the last episode's score or failure until the
 *   operation that closes it. Reading it does not change that, so it is returned until it is closed.
 * - LEDGER-8. queuedBytes is the sum of what outstanding groups have claimed for their tasks and recorded for their
 *   episodes.
 * - LEDGER-9 (T4). A score is recorded only for the trajectory that was scored: a store that lost its last second may
 *   have another trajectory of the same episode by the time that the score arrives.
 */

import type { EpisodeFailure } from "../base/episode-failure.js";
import type { Epoch } from "../base/epoch.js";

/** The states of a dispatched group. */
export type GroupState = "outstanding" | "trained" | "failed";
/** The result of a claim: a `claimed` group may be added to the queues; `full` has to wait. */
export type ClaimResult = GroupState | "claimed" | "full";
/** How many groups and episodes of a run are in which state. */
export interface RunCounts {
  readonly groups: {
    readonly dispatched: number;
    readonly outstanding: number;
    readonly trained: number;
    readonly failed: number;
  };
  readonly episodes: {
    readonly dispatched: number;
    /** Episodes that were returned to the learner and acknowledged. */
    readonly trained: number;
    /** Episodes whose own rollout or reward failed. */
    readonly failed: number;
    /** Episodes that succeeded, but whose group was failed as a whole. */
    readonly dropped: number;
  };
  /** Payload bytes of outstanding groups. */
  readonly queuedBytes: number;
}

export interface Claim {
  readonly groupId: string;
  readonly groupSize: number;
  /** The group's specification as text, which the learner reads. */
  readonly spec: string;
  /** Size in bytes of the task that `putTask` will store. */
  readonly taskBytes: number;
}

export interface LedgerLimits {
  readonly maxOutstandingGroups: number;
  /** Bound on the bytes that are stored for outstanding groups plus those expected of their open episodes. */
  readonly maxQueuedBytes: number;
}

/** The state of an episode of an outstanding group: without a trajectory, with a trajectory but no score, or ended. */
export type EpisodeState = "open" | "sampled" | "ended";

/** The record of one episode of a group. All fields are absent while it is open. */
export interface EpisodeRecord {
  readonly trajectoryBytes?: number;
  readonly score?: Uint8Array;
  /** The text of an EpisodeFailure, as `encodeFailure` writes it. */
  readonly failure?: string;
}

export interface GroupRecord {
  readonly spec: string;
  readonly episodes: readonly EpisodeRecord[];
}

export interface Closing {
  readonly groupId: string;
  readonly outcome: "trained" | "failed";
  /** The reason why the group failed: BELOW_MIN_GROUP_SIZE, STALE_POLICY, … */
  readonly reason?: string;
  readonly trainedEpisodes: number;
  readonly droppedEpisodes: number;
  readonly failures: readonly EpisodeFailure[];
}

/** `closed` by this call; `unknown` when the group was not outstanding; `fenced` when a newer epoch exists. */
export type CloseResult = "closed" | "unknown" | "fenced";

export interface SampledHead {
  /** Undefined when the group is not outstanding. */
  readonly state: EpisodeState | undefined;
  /** Absent unless the episode is sampled and its trajectory still exists. */
  readonly bytes?: Uint8Array;
  /**
   * Distinguishes the trajectory from any other that was or will be stored for the episode; absent unless it is
   * sampled.
   */
  readonly trajectoryToken?: string;
}

/** The same as for `putTrajectory`, or `replaced` when the scored trajectory is not, or no longer, the episode's. */
export type ScoreResult = EpisodeState | "replaced" | undefined;

export interface CompleteGroups {
  readonly groupIds: readonly string[];
  /** When it is passed to the next call, that call returns only the groups that have completed since. */
  readonly cursor: number;
}

export interface Subscription {
  close(): Promise<void>;
}

/** The record of a run's groups and episodes; each method is one atomic step. */
export interface LedgerStore {
  /** Claims groups for dispatch in order, up to the limits. A claim that was never confirmed can be made again. */
  claim(claims: readonly Claim[], limits: LedgerLimits): Promise<ClaimResult[]>;
  /**
   * Records that the tasks of claimed groups are stored and their jobs are on the queues.
   * @returns those that are not confirmed, because the store has lost their claim or their task since: claim them again
   */
  confirm(groupIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Returns the groups that have to be dispatched, or dispatched again, because the store does not know them or their
   * claim was never confirmed.
   */
  undispatched(groupIds: readonly string[]): Promise<readonly string[]>;

  /** @returns false when the group is not outstanding */
  putTask(groupId: string, bytes: Uint8Array): Promise<boolean>;
  task(groupId: string): Promise<Uint8Array | undefined>;

  /** @returns undefined when the group is not outstanding */
  episode(groupId: string, episodeIndex: number): Promise<EpisodeState | undefined>;
  /**
   * Stores the first trajectory of an open episode.
   * @param headBytes the number of leading bytes that `sampledHead` returns; default: all bytes
   * @returns the state of the episode before, or undefined when the group is not outstanding
   */
  putTrajectory(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    headBytes?: number,
  ): Promise<EpisodeState | undefined>;
  /** Returns the first bytes of the trajectory of a sampled episode, with the state of the episode at that moment. */
  sampledHead(groupId: string, episodeIndex: number): Promise<SampledHead>;
  trajectory(groupId: string, episodeIndex: number): Promise<Uint8Array | undefined>;
  /**
   * Ends an episode with a score.
   * @param trajectoryToken the token that `sampledHead` returned with what was scored; "" for an episode without a
   *   trajectory
   */
  putScore(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    trajectoryToken: string,
  ): Promise<ScoreResult>;
  /** Ends an episode with a failure, as `encodeFailure` writes it. @returns the same as putTrajectory */
  putFailure(groupId: string, episodeIndex: number, failure: string): Promise<EpisodeState | undefined>;

  /**
   * Becomes the run's consumer.
   * @param token the token of the new epoch; a command that is sent again with it does not take over a second time
   * @returns the new epoch, whose number is larger than all earlier ones that the store remembers
   */
  takeOver(token: string): Promise<Epoch>;
  /** Returns the groups that completed after the cursor (0: all), oldest first; undefined when the epoch is fenced. */
  completeGroups(epoch: Epoch, cursor: number): Promise<CompleteGroups | undefined>;
  /**
   * Calls the listener soon after a group has become complete. A call may be lost, so look periodically as well.
   * @param onReconnect called when the store answers again after an outage, in which it may have lost its last second
   */
  onCompletion(listener: () => void, onReconnect: () => void): Promise<Subscription>;
  /** @returns undefined when the group is not outstanding */
  group(groupId: string): Promise<GroupRecord | undefined>;
  /** Closes a group and deletes its payloads. */
  close(closing: Closing, epoch: Epoch): Promise<CloseResult>;
  /** Remembers as trained the groups that the store does not know or has forgotten, and leaves all others unchanged. */
  rememberTrained(groupIds: readonly string[], epoch: Epoch): Promise<"remembered" | "fenced">;

  states(groupIds: readonly string[]): Promise<(GroupState | undefined)[]>;
  /** Returns the ids of the outstanding groups, sorted. */
  outstanding(): Promise<readonly string[]>;
  /** Returns why groups failed, by id, for as long as closed groups are remembered. */
  failedGroups(): Promise<Readonly<Record<string, string>>>;
  /** Returns the last failed episodes, newest first, at most `keptFailures`. */
  failures(): Promise<readonly EpisodeFailure[]>;
  counts(): Promise<RunCounts>;
}

/** Number of failed episodes that are remembered with their message. */
export const keptFailures = 1000;
/** Number of closed groups that are remembered. A group id is not dispatched again while it is among them. */
export const keptClosedGroups = 65_536;
