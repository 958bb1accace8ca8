import type { Clock } from "@palimpsest/wire";

/**
 * Time as far as this process was awake in it: what a node or a driver sent while the head was stopped or its thread was
 * busy is unread, so that their silence must not be counted then. `tick` is called once per interval; what lies between
 * two ticks counts for two intervals at most.
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

  /** Milliseconds awake since it was made. */
  nowMs(): number {
    return this.#tickedMs + this.#sinceTickMs();
  }

  /** @returns milliseconds awake since the tick before */
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
