import { Backoff, type BackoffLimits, type Clock, delay } from "@palimpsest/std";
import type { PalimpsestError } from "../base/error.js";
import { fromGrpcError } from "./status.js";

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
