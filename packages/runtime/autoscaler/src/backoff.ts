import { type BackoffLimits, backoffMs, type Clock } from "@palimpsest/std";

const longestMs = 300_000;

/** Decides when a failed operation is retried: after a delay that doubles with each failure, up to five minutes. */
export class Backoff {
  readonly #clock: Clock;
  readonly #limits: BackoffLimits;
  #failures = 0;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, firstMs: number) {
    this.#clock = clock;
    this.#limits = { firstMs, longestMs };
  }

  get waiting(): boolean {
    return this.#clock.monotonicMs() < this.#untilMs;
  }

  /** When the delay ends, in milliseconds of the clock; 0 when there is none. */
  get retryAtMs(): number {
    const leftMs = this.#untilMs - this.#clock.monotonicMs();
    return leftMs > 0 ? Math.round(this.#clock.now() + leftMs) : 0;
  }

  /** @param atLeastMs the minimum delay that the other side asked for, in milliseconds */
  failed(atLeastMs = 0): void {
    this.#failures += 1;
    const delayMs = backoffMs(this.#limits, this.#failures);
    this.#untilMs = this.#clock.monotonicMs() + Math.max(delayMs, Math.min(longestMs, atLeastMs));
  }

  succeeded(): void {
    this.#failures = 0;
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }
}
