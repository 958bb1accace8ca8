/**
 * Responsibility: the deadlines of many calls, of which nearly all are answered long before: those of one duration share a
 *   timer, so that a call pays for an entry in a list and for no timer of its own.
 * Not responsible for: what a deadline means to whoever has it.
 *
 * Invariants:
 * - DEADLINES-1. expire() runs once, not before the deadline, and never after remove().
 * - DEADLINES-2. While there is a deadline there is a timer of the clock for it; without one there is none.
 */
import type { Clock } from "./clock.js";

const longestTimerMs = 2 ** 31 - 1;

export interface Expiring {
  expire(): void;
}

/** A place among the deadlines. */
export interface Deadline {
  readonly owner: Expiring;
  readonly atMs: number;
  /** Undefined when it is over. */
  list: DeadlineList | undefined;
  previous: Deadline | undefined;
  next: Deadline | undefined;
}

/** Those of one duration: each is later than those before it. */
interface DeadlineList {
  readonly durationMs: number;
  first: Deadline | undefined;
  last: Deadline | undefined;
  cancelTimer: () => void;
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #lists = new Map<number, DeadlineList>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param durationMs from now; finite */
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

  /** Does nothing when it is over. */
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
    list.cancelTimer = this.#clock.after(Math.min(afterMs, longestTimerMs), () => this.#expire(list));
  }

  #expire(list: DeadlineList): void {
    const nowMs = this.#clock.monotonicMs();
    try {
      for (let due = list.first; due !== undefined && due.atMs <= nowMs; due = list.first) {
        this.remove(due);
        due.owner.expire();
      }
    } finally {
      // One that has become empty is forgotten, and what begins anew under its duration has another.
      if (list.first !== undefined) this.#arm(list, Math.max(1, list.first.atMs - nowMs));
    }
  }
}
