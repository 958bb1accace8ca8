/** Responsibility: the state of one run's groups as a list of named operations, each of which happens whole or not at all.
 *  Not responsible for: what the bytes mean, who waits for whom, or the jobs that do the work.
 *
 *  Invariants, which every implementation keeps and `ledger-store.test.ts` holds all of them to:
 *  LEDGER-1 (T1). A claimed group is in exactly one of outstanding, trained and failed, and leaves outstanding once.
 *  LEDGER-2 (T1). Episodes dispatched = trained + failed + dropped + those of outstanding groups.
 *  LEDGER-3. A claim is refused while as many groups are outstanding, or as many bytes are expected of them, as the
 *            limits allow. One group may always be outstanding, however large it is.
 *  LEDGER-4. Only the newest epoch closes groups and reads complete ones; an older one, and one of the same number that
 *            is not the one stored, is told that it is fenced off. A store that forgot an epoch takes it from its learner.
 *  LEDGER-5 (T1). The first trajectory and the first score or failure recorded for an episode stay; later ones change
 *            nothing, so a consumer that was taken for dead cannot change what was scored or trained.
 *  LEDGER-6. Nothing is stored for a group that is not outstanding, or a trajectory for an episode that has ended.
 *  LEDGER-7 (T1). A group is complete from the operation that records the last episode's score or failure until the
 *            operation that closes it. Reading it does not change that, so it returns until it is closed.
 *  LEDGER-8. queuedBytes is the sum of what outstanding groups have claimed for their tasks and recorded for their episodes.
 *  LEDGER-9 (T4). A score is recorded for the trajectory that was scored, and for no other: a store that lost its last second
 *            may have another one of the same episode by the time that the score comes. */

import type { EpisodeFailure } from "./episode-failure.js";
import type { Epoch } from "./epoch.js";

export type GroupState = "outstanding" | "trained" | "failed";
/** What a claim found: `claimed` may be put on the queues; `full` has to wait. */
export type ClaimResult = GroupState | "claimed" | "full";
export interface RunCounts {
  readonly groups: {
    readonly dispatched: number;
    readonly outstanding: number;
    readonly trained: number;
    readonly failed: number;
  };
  readonly episodes: {
    readonly dispatched: number;
    /** Handed to the learner and acknowledged. */
    readonly trained: number;
    /** Their own rollout or reward failed. */
    readonly failed: number;
    /** Good, but their group was failed as a whole. */
    readonly dropped: number;
  };
  /** Payload bytes of outstanding groups. */
  readonly queuedBytes: number;
}

export interface Claim {
  readonly groupId: string;
  readonly groupSize: number;
  /** What the learner needs to know of the group, as text. */
  readonly spec: string;
  /** Size of the task that `putTask` will store. */
  readonly taskBytes: number;
}

export interface LedgerLimits {
  readonly maxOutstandingGroups: number;
  /** Bound on the bytes stored for outstanding groups and those expected of their open episodes. */
  readonly maxQueuedBytes: number;
}

/** Where an episode of an outstanding group stands: nothing yet, a trajectory without a score, or at its end. */
export type EpisodeState = "open" | "sampled" | "ended";

/** One episode of a group as it is recorded; all fields are absent while it is open. */
export interface EpisodeRecord {
  readonly trajectoryBytes?: number;
  readonly score?: Uint8Array;
  /** Text of an EpisodeFailure as `encodeFailure` writes it. */
  readonly failure?: string;
}

export interface GroupRecord {
  readonly spec: string;
  readonly episodes: readonly EpisodeRecord[];
}

export interface Closing {
  readonly groupId: string;
  readonly outcome: "trained" | "failed";
  /** Why the group failed: BELOW_MIN_GROUP_SIZE, STALE_POLICY, … */
  readonly reason?: string;
  readonly trainedEpisodes: number;
  readonly droppedEpisodes: number;
  readonly failures: readonly EpisodeFailure[];
}

/** `closed` now; `unknown` when it was not outstanding; `fenced` when a newer epoch exists. */
export type CloseResult = "closed" | "unknown" | "fenced";

export interface SampledHead {
  /** Undefined when the group is not outstanding. */
  readonly state: EpisodeState | undefined;
  /** Absent unless the episode is sampled and its trajectory is still there. */
  readonly bytes?: Uint8Array;
  /** Tells the trajectory from any other that was or will be stored for the episode; absent unless it is sampled. */
  readonly trajectoryToken?: string;
}

/** As putTrajectory answers; `replaced` when the trajectory that was scored is not, or no longer, that of the episode. */
export type ScoreResult = EpisodeState | "replaced" | undefined;

export interface CompleteGroups {
  readonly groupIds: readonly string[];
  /** Give it to the next call to get only what has completed since. */
  readonly cursor: number;
}

export interface Subscription {
  close(): Promise<void>;
}

export interface LedgerStore {
  /** Claims groups for dispatch in order, up to the limits. A claim that was never confirmed can be made again. */
  claim(claims: readonly Claim[], limits: LedgerLimits): Promise<ClaimResult[]>;
  /** Says that the tasks of claimed groups are stored and their jobs on the queues.
   *  @returns those that are not confirmed, because the store lost their claim or their task since: claim them again */
  confirm(groupIds: readonly string[]): Promise<readonly string[]>;
  /** Those of the groups that somebody has to dispatch, or to dispatch again: the store does not know them, or their claim
   *  was never confirmed. */
  undispatched(groupIds: readonly string[]): Promise<readonly string[]>;

  /** @returns false when the group is not outstanding */
  putTask(groupId: string, bytes: Uint8Array): Promise<boolean>;
  task(groupId: string): Promise<Uint8Array | undefined>;

  /** @returns undefined when the group is not outstanding */
  episode(groupId: string, episodeIndex: number): Promise<EpisodeState | undefined>;
  /** Stores the first trajectory of an open episode.
   *  @param headBytes how many of the bytes `sampledHead` gives; absent: all
   *  @returns the state of the episode before, or undefined when the group is not outstanding */
  putTrajectory(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    headBytes?: number,
  ): Promise<EpisodeState | undefined>;
  /** The first bytes of the trajectory of a sampled episode, with the state of the episode at that moment. */
  sampledHead(groupId: string, episodeIndex: number): Promise<SampledHead>;
  trajectory(groupId: string, episodeIndex: number): Promise<Uint8Array | undefined>;
  /** Ends an episode with a score.
   *  @param trajectoryToken as `sampledHead` gave it with what was scored; "" for an episode without a trajectory */
  putScore(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    trajectoryToken: string,
  ): Promise<ScoreResult>;
  /** Ends an episode with a failure, as `encodeFailure` writes it. @returns as putTrajectory */
  putFailure(groupId: string, episodeIndex: number, failure: string): Promise<EpisodeState | undefined>;

  /** Becomes the run's consumer.
   *  @param token of the new epoch: a command that is sent again with it takes nothing over a second time
   *  @returns its epoch, larger than all before that the store remembers */
  takeOver(token: string): Promise<Epoch>;
  /** Complete groups that became so after the cursor (0: all), oldest first; undefined when fenced off. */
  completeGroups(epoch: Epoch, cursor: number): Promise<CompleteGroups | undefined>;
  /** Calls the listener soon after a group has become complete. A call may be lost: look from time to time.
   *  @param onReconnect called when the store answers again after it was away: it may have lost its last second */
  onCompletion(listener: () => void, onReconnect: () => void): Promise<Subscription>;
  /** @returns undefined when the group is not outstanding */
  group(groupId: string): Promise<GroupRecord | undefined>;
  /** Closes a group and deletes its payloads. */
  close(closing: Closing, epoch: Epoch): Promise<CloseResult>;
  /** Remembers as trained what the store has never heard of or has forgotten; leaves all other groups as they are. */
  rememberTrained(groupIds: readonly string[], epoch: Epoch): Promise<"remembered" | "fenced">;

  states(groupIds: readonly string[]): Promise<(GroupState | undefined)[]>;
  /** Ids of the outstanding groups, sorted. */
  outstanding(): Promise<readonly string[]>;
  /** Why groups failed, by id, as far back as closed groups are remembered. */
  failedGroups(): Promise<Readonly<Record<string, string>>>;
  /** The last failed episodes, newest first, at most `keptFailures`. */
  failures(): Promise<readonly EpisodeFailure[]>;
  counts(): Promise<RunCounts>;
}

/** Failed episodes that are remembered with their message. */
export const keptFailures = 1000;
/** Closed groups that are remembered: a group id is not dispatched again while it is among them. */
export const keptClosedGroups = 65_536;
