import type { Clock } from "@palimpsest/std";
import { IndexedHeap } from "../../packages/runtime/scheduler/src/indexed-heap.js";

interface Timer {
  readonly number: number;
  readonly atMs: number;
  readonly callback: () => void;
}

/** A clock that a program moves, with as many timers as a head has in a month. */
export class HeapClock implements Clock {
  #nowMs = Date.UTC(2030, 0, 1);
  #number = 0;
  readonly #timers = new IndexedHeap<Timer>(
    ({ number }) => String(number),
    (a, b) => a.atMs - b.atMs || a.number - b.number,
  );

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const number = ++this.#number;
    this.#timers.set({ number, atMs: this.#nowMs + delayMs, callback });
    return () => this.#timers.delete(String(number));
  }

  /** The timers that wait. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Advances the time, and runs the timers that become due with the callbacks of the promises that they settle. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (let next = this.#timers.top(); next !== undefined && next.atMs <= endMs; next = this.#timers.top()) {
      this.#timers.delete(String(next.number));
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
    }
    this.#nowMs = endMs;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
