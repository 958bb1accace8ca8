/** What a learner is asked for a step, and what it takes or hands back. */
import type { Group, GroupBatch } from "@palimpsest/trajectories";
import type { ScheduleState } from "./async/group-schedule.js";

/** The groups in flight, of which a step takes those that are complete first (SCHEDULE-2). */
export interface StepWindow {
  /** Groups that the step takes beside those that it has rejected. Absent: all of them; none that failed is replaced. */
  readonly count?: number;
  /** Absent: the step trains groups that teach nothing, too. */
  readonly rejects?: StepRejects;
  /** Of each of `groupIds`, in the run's order of questions. */
  readonly indexes: readonly number[];
  /** Where the run's schedule stands: a checkpoint keeps what is left of it, for whoever resumes the run. */
  readonly schedule: ScheduleState;
}

/** Groups of a window that teach nothing (STEP-7). */
export interface StepRejects {
  /** Those that were handed back for this step, and have others beside them. */
  readonly rejected: readonly string[];
  /** When so many are rejected, the step trains what is left. */
  readonly most: number;
  readonly groupsPerStep: number;
}

export interface StepGroups {
  /** Counts from 1; step n makes policy version n. */
  readonly step: number;
  /** Every group that was dispatched for this step; with a window, every one that is in flight. */
  readonly groupIds: readonly string[];
  /** Absent: the step takes all of its groups. */
  readonly window?: StepWindow;
}

/** Groups of the step that the run's ledger does not know: dispatch them, then ask again. */
export interface UndispatchedGroups {
  readonly undispatched: readonly string[];
  /** Groups of the step's window that are closed, since they were too stale to be trained: dispatch others for them. */
  readonly stale?: readonly string[];
  /** Groups of the step's window that teach nothing: leave them in it, as rejected, with others beside them. */
  readonly rejected?: readonly string[];
}

/** What a step trains, and what it took beside that. */
export interface StepBatch extends GroupBatch {
  /** Teach nothing; closed when the step is saved. */
  readonly rejected: readonly Group[];
}
