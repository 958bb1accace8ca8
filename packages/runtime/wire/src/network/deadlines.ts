/**
 * Responsibility: the deadlines of many calls, nearly all of which are answered long before. Deadlines of the same
 * duration share a timer, so that a call costs a list entry and no timer.
 * Not responsible for: what happens when a deadline passes.
 *
 * Invariants:
 * - DEADLINES-1. expire() runs once, not before the deadline, and never after remove().
 * - DEADLINES-2. A timer of the clock runs exactly while there is a deadline.
 */
import type { Clock } from "@palimpsest/std";

/** What ends at a deadline. */
export interface Expiring {
  expire(): void;
}

/** A deadline and its links in the list of its duration. */
export interface Deadline {
  readonly owner: Expiring;
  readonly atMs: number;
  /** Undefined after the deadline has expired or was removed. */
  list: DeadlineList | undefined;
  previous: Deadline | undefined;
  next: Deadline | undefined;
}

/** The deadlines of one duration, in the order in which they expire. */
interface DeadlineList {
  readonly durationMs: number;
  first: Deadline | undefined;
  last: Deadline | undefined;
  cancelTimer: () => void;
}

/** Many deadlines with few timers: those of equal length share a list. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #lists = new Map<number, DeadlineList>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param durationMs milliseconds from now; must be finite */
  add(owner: Expiring, durationMs: number): Deadline {
    let list = this.#lists.get(durationMs);
    if (list === undefined) {
      list = { durationMs, first: undefined, last: undefined, cancelTimer: () => undefined };
      this.#lists.set(durationMs, list);
      this.#arm(list, durationMs);
    }
    const atMs = this.#clock.monotonicMs() + durationMs;
    const deadline: Deadline = { owner, atMs, list, previous: list.last, next: undefined };
    if (list.last) list.last.next = deadline;
    else list.first = deadline;
    list.last = deadline;
    return deadline;
  }

  /** Does nothing if the deadline has expired or was removed. */
  remove(deadline: Deadline): void {
    const { list, previous, next } = deadline;
    if (list === undefined) return;
    deadline.list = undefined;
    if (previous) previous.next = next;
    else list.first = next;
    if (next) next.previous = previous;
    else list.last = previous;
    if (list.first !== undefined) return;
    list.cancelTimer();
    this.#lists.delete(list.durationMs);
  }

  #arm(list: DeadlineList, afterMs: number): void {
    list.cancelTimer = this.#clock.after(afterMs, () => this.#expire(list));
  }

  #expire(list: DeadlineList): void {
    const nowMs = this.#clock.monotonicMs();
    try {
      for (let due = list.first; due !== undefined && due.atMs <= nowMs; due = list.first) {
        this.remove(due);
        due.owner.expire();
      }
    } finally {
      // An empty list has been removed from the map, and the next deadline of its duration creates a new one.
      if (list.first !== undefined) this.#arm(list, Math.max(1, list.first.atMs - nowMs));
    }
  }
}
