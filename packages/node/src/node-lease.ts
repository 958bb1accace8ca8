/**
 * Responsibility: this node's lease: as long as the head renews it, no actor of this node is started elsewhere.
 * Not responsible for: which actors end when it runs out (process-supervisor.ts), or when replacements start (the head).
 *
 * Invariants:
 * - NODELEASE-1. The lease counts from when the heartbeat was sent that the head answered, so it runs out here before
 *   it does at the head.
 * - NODELEASE-2. `onExpired` is called once for each time that the lease runs out, and never before the first renewal.
 */
import type { Clock } from "@palimpsest/wire";

export class NodeLease {
  readonly #clock: Clock;
  readonly #onExpired: () => void;
  #untilMs = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onExpired: () => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** @param sentAtMs when the message was sent that was answered, by the monotonic clock */
  renew(sentAtMs: number, durationMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, sentAtMs + durationMs);
    if (this.#cancel === undefined) this.#wait();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(): void {
    const remainingMs = this.#untilMs - this.#clock.monotonicMs();
    if (remainingMs <= 0) {
      this.#cancel = undefined;
      this.#onExpired();
      return;
    }
    this.#cancel = this.#clock.after(remainingMs, () => this.#wait());
  }
}
