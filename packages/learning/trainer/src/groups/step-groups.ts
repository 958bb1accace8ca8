/** The request for the groups of a step, and what a learner takes or hands back. */
import type { Group, GroupBatch } from "@palimpsest/trajectories";
import type { ScheduleState } from "./group-schedule.js";

/** The groups in flight, of which a step takes those that are complete first (SCHEDULE-2). */
export interface StepWindow {
  /**
   * Number of groups that the step takes besides those that it has rejected. Absent: it takes all of them, and those
   * that failed are not replaced.
   */
  readonly count?: number;
  /** The groups that the step rejects. Absent: it trains groups that teach nothing, too. */
  readonly rejects?: StepRejects;
  /** Index of each of `groupIds` in the run's order of questions. */
  readonly indexes: readonly number[];
  /** State of the run's schedule. A checkpoint stores what is left of it, for a driver that resumes the run. */
  readonly schedule: ScheduleState;
}

/** Groups of a window that teach nothing (STEP-7). */
interface StepRejects {
  /** Groups that were handed back for this step, and to which others were added. */
  readonly rejected: readonly string[];
  /** When this many groups are rejected, the step trains what is left. */
  readonly most: number;
  readonly groupsPerStep: number;
}

export interface StepGroups {
  /** Counts from 1; step n makes policy version n. */
  readonly step: number;
  /** Every group dispatched for this step; with a window, every group in flight. */
  readonly groupIds: readonly string[];
  /** Absent: the step takes all of its groups. */
  readonly window?: StepWindow;
}

/** Groups of the step that are missing from the run's ledger: dispatch them, then request the step again. */
export interface UndispatchedGroups {
  readonly undispatched: readonly string[];
  /** Groups of the step's window that were closed as too stale to train: dispatch replacements. */
  readonly stale?: readonly string[];
  /** Groups of the step's window that teach nothing: keep them in it, as rejected, and add others. */
  readonly rejected?: readonly string[];
}

/** The groups that a step trains, and the others that it took. */
export interface StepBatch extends GroupBatch {
  /** Groups that teach nothing; closed when the step is saved. */
  readonly rejected: readonly Group[];
}
