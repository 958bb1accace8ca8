import type { Clock } from "@palimpsest/wire";

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A clock that stands until it is moved. */
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

  /** Moves time on, running what falls due, in order, with the promises that it settles. */
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

  /** Somebody sets the wall clock. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
  }

  /** Moves time on without running anything: the process slept. */
  sleep(ms: number): void {
    this.#nowMs += ms;
  }
}

/** Lets every promise that can settle do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
