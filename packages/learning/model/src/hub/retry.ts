import { backoffMs, delay, joinSignals } from "@palimpsest/std";

/** How often and after which waits a request is retried. */
export interface RetryPolicy {
  /** Number of successive requests without anything new after which the server is given up. */
  readonly attempts: number;
  /** Milliseconds before the second request, doubled for each further one. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Milliseconds that a server may be silent, before its first byte or between bytes. */
  readonly silenceTimeoutMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 6,
  firstDelayMs: 500,
  maxDelayMs: 30_000,
  silenceTimeoutMs: 30_000,
};

/** Returns whether a status is a refusal that a retry does not change. */
export function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/**
 * Waits before another request: as long as the server requested in Retry-After, else with exponential backoff, and at
 * most `maxDelayMs`.
 * @param failures number of successive failures so far, from 1 on
 * @throws the signal's reason
 */
export async function waitBeforeRetry(
  policy: RetryPolicy,
  failures: number,
  response: { readonly headers: { get(name: string): string | null } } | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const askedSeconds = Number(response?.headers.get("retry-after") ?? Number.NaN);
  const { firstDelayMs: firstMs, maxDelayMs: longestMs } = policy;
  const waitMs = Number.isFinite(askedSeconds)
    ? askedSeconds * 1000
    : backoffMs({ firstMs, longestMs }, failures);
  await delay(Math.min(waitMs, longestMs), signal);
  signal?.throwIfAborted();
}

export interface SilenceWatch {
  readonly signal: AbortSignal;
  readonly heard: () => void;
  readonly end: () => void;
}

/** Returns a watch whose signal aborts when `heard` is not called for `timeoutMs`, or when `signal` aborts. */
export function silenceWatch(timeoutMs: number, signal: AbortSignal | undefined): SilenceWatch {
  const joined = joinSignals(signal);
  const timer = setTimeout(
    () => joined.abort(new Error(`the server was silent for ${timeoutMs} ms`)),
    timeoutMs,
  );
  return {
    signal: joined.signal,
    heard: () => timer.refresh(),
    end: () => {
      clearTimeout(timer);
      joined.forget();
    },
  };
}
