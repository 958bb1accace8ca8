import type { Clock } from "@palimpsest/std";

/** A clock that stands still until a test moves it, and then runs the timers that are due. */
export class StandingClock implements Clock {
  nowMs = 1_000_000;
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  now(): number {
    return this.nowMs;
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(ms: number): void {
    this.nowMs += ms;
    for (const timer of [...this.#timers]) {
      if (timer.atMs > this.nowMs) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}
