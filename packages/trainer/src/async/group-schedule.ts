/**
 * Responsibility: which groups of a run may be in flight at a policy version, and which of them the next step takes.
 * Not responsible for: dispatching them, their questions, training them.
 *
 * A group is named by its index in the run's order of questions, from 0.
 *
 * Invariants:
 * - SCHEDULE-1 (T2). `wait`: step n takes groups (n − 1)·G to n·G − 1 and no others. They are due when the learner's version is
 *   n − 1 − maxStaleness, and their episodes begin under that version or a newer one: none can become too stale.
 * - SCHEDULE-2 (T2). `refill`: a step takes whichever G groups are complete, the oldest first. Groups that became too stale are
 *   dropped, and each is replaced by the next question.
 * - SCHEDULE-3. At most (maxStaleness + 1)·G groups are in flight, and never more than the steps that are left will take.
 * - SCHEDULE-4 (T1). Every index below `next` was due exactly once, and is in flight, consumed or dropped.
 */
import { PalimpsestError } from "@palimpsest/wire";
import type { StaleGroups } from "./async-settings.js";

export interface ScheduleSettings {
  /** Steps of the run. */
  readonly steps: number;
  readonly groupsPerStep: number;
  readonly maxStaleness: number;
  readonly staleGroups: StaleGroups;
}

/** Where a schedule stands, as a checkpoint keeps it. */
export interface ScheduleState {
  /** The first index that was never due. */
  readonly next: number;
  /** Indexes in flight, ascending. */
  readonly open: readonly number[];
}

/** A group to dispatch. */
export interface DueGroup {
  readonly index: number;
  /** Its episodes begin under weights of at least this version. */
  readonly minPolicyVersion: number;
}

export class GroupSchedule {
  readonly #settings: ScheduleSettings;
  /** Steps that the learner has done. */
  #version: number;
  #next: number;
  readonly #open: Map<number, DueGroup>;

  /**
   * @param version policy version of the learner
   * @param state where an earlier driver of the run stood at that version; absent: every group before that version is consumed
   */
  constructor(settings: ScheduleSettings, version: number, state?: ScheduleState) {
    this.#settings = settings;
    this.#version = version;
    this.#next = state?.next ?? version * settings.groupsPerStep;
    // Those that are still known to the queues keep the version that they were dispatched with.
    this.#open = new Map(state?.open.map((index) => [index, this.#groupAt(index)]));
  }

  get version(): number {
    return this.#version;
  }

  get state(): ScheduleState {
    return { next: this.#next, open: [...this.#open.keys()].sort((a, b) => a - b) };
  }

  /** Groups in flight, in order. */
  get open(): readonly DueGroup[] {
    return [...this.#open.values()].sort((a, b) => a.index - b.index);
  }

  /** Groups that are to be dispatched now, each named once. */
  takeDue(): DueGroup[] {
    const { groupsPerStep, maxStaleness, steps } = this.#settings;
    const stepsAhead = Math.min(maxStaleness + 1, steps - this.#version);
    const room = stepsAhead * groupsPerStep - this.#open.size;
    const due = Array.from({ length: Math.max(0, room) }, (_, at) => this.#groupAt(this.#next + at));
    for (const group of due) this.#open.set(group.index, group);
    this.#next += due.length;
    return due;
  }

  /** Groups that the next step may take: with `wait` all of them, with `refill` any `groupsPerStep` of them. */
  candidates(): readonly DueGroup[] {
    const { groupsPerStep, staleGroups } = this.#settings;
    if (staleGroups === "refill") return this.open;
    const first = this.#version * groupsPerStep;
    return this.open.filter(({ index }) => index >= first && index < first + groupsPerStep);
  }

  /** The next step is done with these groups, the trained and the failed ones. */
  stepDone(consumed: readonly number[]): void {
    for (const index of consumed) this.#close(index);
    this.#version += 1;
  }

  /** Groups that will not be trained, since they are too stale: `takeDue` gives as many others. */
  drop(indexes: readonly number[]): void {
    for (const index of indexes) this.#close(index);
  }

  #close(index: number): void {
    if (this.#open.delete(index)) return;
    throw new PalimpsestError("INTERNAL", `group ${index} is not in flight; this is a defect`);
  }

  #groupAt(index: number): DueGroup {
    const { groupsPerStep, maxStaleness, staleGroups } = this.#settings;
    const ofStep = Math.floor(index / groupsPerStep);
    const oldest = staleGroups === "wait" ? ofStep - maxStaleness : this.#version;
    return { index, minPolicyVersion: Math.max(0, oldest) };
  }
}
