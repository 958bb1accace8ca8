import type { Clock } from "./clock.js";
import { delay } from "./delay.js";
import type { PalimpsestError } from "./error.js";
import { fromGrpcError } from "./status.js";

export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Waits between attempts: each is twice as long as the one before it, up to a limit. */
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

  /** After an attempt that succeeded. */
  reset(): void {
    this.#nextMs = this.#limits.firstMs;
  }
}

export interface RetryOptions {
  readonly timeoutMs: number;
  readonly backoff: BackoffLimits;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Whether the failure may pass. */
  readonly mayRetry: (error: PalimpsestError) => boolean;
}

/**
 * Repeats an attempt until it succeeds.
 * @param attempt is given what is left of the time, at least 1 ms
 * @throws {PalimpsestError} the last attempt's, where it may not pass, where the next wait would outlast the time, or where the
 *   signal is aborted
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
