import type { Clock } from "@palimpsest/std";

/**
 * Measures time that counts only while this process was awake. Messages that nodes and drivers sent while the head was
 * suspended or its thread was busy are still unread, so their silence must not be counted then. `tick` is called once
 * per interval, and the time between two ticks counts as two intervals at most.
 */
export class AwakeTime {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #lastTickMs: number;
  #tickedMs = 0;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#lastTickMs = clock.monotonicMs();
  }

  /** Returns the milliseconds that this process was awake since construction. */
  nowMs(): number {
    return this.#tickedMs + this.#sinceTickMs();
  }

  /** Counts the time since the previous tick. @returns the milliseconds of it that the process was awake */
  tick(): number {
    const awakeMs = this.#sinceTickMs();
    this.#lastTickMs = this.#clock.monotonicMs();
    this.#tickedMs += awakeMs;
    return awakeMs;
  }

  #sinceTickMs(): number {
    return Math.max(0, Math.min(this.#clock.monotonicMs() - this.#lastTickMs, 2 * this.#intervalMs));
  }
}
