/**
 * Responsibility: this node's lease: as long as the head renews it, no actor of this node is started elsewhere.
 * Not responsible for: which actors are killed when it expires (process-supervisor.ts), or when replacements start
 * (the head).
 *
 * Invariants:
 * - NODELEASE-1. The lease counts from when the answered heartbeat was sent, so that it expires here before it does
 *   at the head.
 * - NODELEASE-2. `onExpired` is called once for each expiry, and never before the first renewal.
 */
import type { Clock } from "@palimpsest/std";

export class NodeLease {
  readonly #clock: Clock;
  readonly #onExpired: () => void;
  #untilMs = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onExpired: () => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** @param sentAtMs when the answered message was sent, on the monotonic clock */
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
