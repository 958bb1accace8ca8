import type { Clock } from "./clock.js";
import { delay } from "./delay.js";
import type { PalimpsestError } from "./error.js";
import { fromGrpcError } from "./status.js";

export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Computes the delays between attempts: each is twice as long as the previous one, up to a limit. */
export class Backoff {
  readonly #limits: BackoffLimits;
  #nextMs: number;

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
    this.#nextMs = limits.firstMs;
  }

  next(): number {
    const waitMs = this.#nextMs;
    this.#nextMs = Math.min(waitMs * 2, this.#limits.longestMs);
    return waitMs;
  }

  /** Starts again from the first delay, after an attempt that succeeded. */
  reset(): void {
    this.#nextMs = this.#limits.firstMs;
  }
}

export interface RetryOptions {
  readonly timeoutMs: number;
  readonly backoff: BackoffLimits;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Whether the error is transient, so that another attempt may succeed. */
  readonly mayRetry: (error: PalimpsestError) => boolean;
}

/**
 * Repeats an attempt until it succeeds.
 * @param attempt receives the remaining time in milliseconds, at least 1
 * @throws {PalimpsestError} the last attempt's error, if it may not be retried, if the next delay would pass the
 *   deadline, or if the signal is aborted
 */
export async function retryUntil<T>(
  { timeoutMs, backoff: limits, clock, signal, mayRetry }: RetryOptions,
  attempt: (leftMs: number) => Promise<T>,
): Promise<T> {
  const deadlineAt = clock.monotonicMs() + timeoutMs;
  const backoff = new Backoff(limits);
  for (;;) {
    try {
      return await attempt(Math.max(1, deadlineAt - clock.monotonicMs()));
    } catch (reason) {
      const error = fromGrpcError(reason);
      const waitMs = backoff.next();
      if (!mayRetry(error) || clock.monotonicMs() + waitMs >= deadlineAt || signal?.aborted) throw error;
      await delay(waitMs, signal, clock);
    }
  }
}
