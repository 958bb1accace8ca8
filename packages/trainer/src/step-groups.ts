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
