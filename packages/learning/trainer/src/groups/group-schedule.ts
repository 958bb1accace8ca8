/**
 * Responsibility: which groups of a run may be in flight at a policy version, and which of them the next step takes.
 * Not responsible for: dispatching them, their questions, training them.
 *
 * A group is named by its index in the run's order of questions, from 0.
 *
 * Invariants:
 * - SCHEDULE-1 (T2). `wait`: step n takes groups (n − 1)·G to n·G − 1 and no others. They are due when the learner's version is
 *   n − 1 − maxStaleness, and their episodes start under that version or a newer one, so that none can become too stale.
 * - SCHEDULE-2 (T2). `refill`: a step takes whichever G groups are complete, the oldest first. Groups that became too stale are
 *   dropped, and each is replaced by the next question.
 * - SCHEDULE-3. At most (maxStaleness + 1)·G groups are in flight, and never more than the remaining steps will take; besides
 *   them those that the next step has rejected, of which at most `refills` are replaced.
 * - SCHEDULE-4 (T1). Every index below `next` was due exactly once, and is in flight, consumed or dropped.
 * - SCHEDULE-5 (T6). With `refills` and maxStaleness 0, step n takes the next groups in order until G of them were not rejected,
 *   or `refills` were: which ones depends only on the groups, not on timing.
 */
import { PalimpsestError } from "@palimpsest/wire";
import type { StaleGroups } from "../recipe/async-settings.js";

export interface ScheduleSettings {
  /** Number of steps of the run. */
  readonly steps: number;
  readonly groupsPerStep: number;
  readonly maxStaleness: number;
  readonly staleGroups: StaleGroups;
  /** Number of rejected groups that a step may have replaced. Default 0. */
  readonly refills?: number;
}

/** Returns whether steps take whatever is complete instead of their own groups, so that a run must record its schedule. */
export function takesWindows({
  staleGroups,
  refills = 0,
}: Pick<ScheduleSettings, "staleGroups" | "refills">): boolean {
  return staleGroups === "refill" || refills > 0;
}

/** The position of a schedule, as a checkpoint stores it. */
export interface ScheduleState {
  /** The first index that was never due. */
  readonly next: number;
  /** Indexes in flight, ascending. */
  readonly open: readonly number[];
}

/** A group to dispatch. */
export interface DueGroup {
  readonly index: number;
  /** Its episodes start under weights of at least this version. */
  readonly minPolicyVersion: number;
}

export class GroupSchedule {
  readonly #settings: ScheduleSettings;
  /** Number of steps that the learner has done. */
  #version: number;
  #next: number;
  readonly #open: Map<number, DueGroup>;
  /** Rejected groups stay in flight until the next step, which took them and will not train them, is done. */
  readonly #rejected = new Set<number>();

  /**
   * @param version policy version of the learner
   * @param state schedule of an earlier driver of the run at that version; absent: every group before that version is consumed
   */
  constructor(settings: ScheduleSettings, version: number, state?: ScheduleState) {
    this.#settings = settings;
    this.#version = version;
    this.#next = state?.next ?? version * settings.groupsPerStep;
    // Groups that the queues still know keep the version that they were dispatched with.
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

  /** Groups that the next step has rejected so far, in order. */
  get rejected(): readonly DueGroup[] {
    return this.open.filter(({ index }) => this.#rejected.has(index));
  }

  /** Returns the groups that must be dispatched now, each only once. */
  takeDue(): DueGroup[] {
    const { groupsPerStep, maxStaleness, steps, refills = 0 } = this.#settings;
    const stepsAhead = Math.min(maxStaleness + 1, steps - this.#version);
    const replaced = Math.min(this.#rejected.size, refills);
    const room = stepsAhead * groupsPerStep + replaced - this.#open.size;
    const due = Array.from({ length: Math.max(0, room) }, (_, at) => this.#groupAt(this.#next + at));
    for (const group of due) this.#open.set(group.index, group);
    this.#next += due.length;
    return due;
  }

  /** Groups that the next step may take: with `wait` all of them, with windows as many as it needs. */
  candidates(): readonly DueGroup[] {
    const { groupsPerStep } = this.#settings;
    if (takesWindows(this.#settings)) return this.open;
    const first = this.#version * groupsPerStep;
    return this.open.filter(({ index }) => index >= first && index < first + groupsPerStep);
  }

  /** Records that the next step is done with these groups, both trained and failed ones. */
  stepDone(consumed: readonly number[]): void {
    for (const index of consumed) this.#close(index);
    this.#rejected.clear();
    this.#version += 1;
  }

  /**
   * Records that the next step, which had a window, is done.
   * @param after the requester's schedule at that time: it may have been a driver that died, and that was further along
   */
  stepTaken(after: ScheduleState): void {
    const left = new Set(after.open);
    for (const index of this.#open.keys())
      if (index < after.next && !left.has(index)) this.#open.delete(index);
    this.#rejected.clear();
    this.#version += 1;
    for (const index of left) if (!this.#open.has(index)) this.#open.set(index, this.#groupAt(index));
    this.#next = Math.max(this.#next, after.next);
  }

  /** Rejects groups that teach the next step nothing: `takeDue` returns others, up to `refills`. */
  reject(indexes: readonly number[]): void {
    for (const index of indexes) {
      this.#checkOpen(index);
      this.#rejected.add(index);
    }
  }

  /** Drops groups that will not be trained because they are too stale: `takeDue` returns as many others. */
  drop(indexes: readonly number[]): void {
    for (const index of indexes) this.#close(index);
  }

  #close(index: number): void {
    this.#checkOpen(index);
    this.#open.delete(index);
    this.#rejected.delete(index);
  }

  #checkOpen(index: number): void {
    if (this.#open.has(index)) return;
    throw new PalimpsestError("INTERNAL", `group ${index} is not in flight; this is a bug in Palimpsest`);
  }

  #groupAt(index: number): DueGroup {
    const { groupsPerStep, maxStaleness } = this.#settings;
    const ofStep = Math.floor(index / groupsPerStep);
    const oldest = takesWindows(this.#settings) ? this.#version : ofStep - maxStaleness;
    return { index, minPolicyVersion: Math.max(0, oldest) };
  }
}
