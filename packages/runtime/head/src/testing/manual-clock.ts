import type { Clock } from "@palimpsest/std";

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #nowMs = 1_000_000;
  #jumpedMs = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#nowMs + this.#jumpedMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /**
   * Advances the time, and runs the timers that become due, in order, with the callbacks of the promises that they
   * settle.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#nowMs + ms;
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.atMs <= end).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
      await settle();
    }
    this.#nowMs = end;
    await settle();
  }

  /** Sets the wall clock, as a person or NTP may do. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
  }

  /** Advances the time without running anything, as if the process had been suspended. */
  sleep(ms: number): void {
    this.#nowMs += ms;
  }
}

/** Resolves when all promises that can settle have done so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
