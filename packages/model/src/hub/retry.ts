import { setTimeout as delay } from "node:timers/promises";

/** How patiently a server is asked again. */
export interface RetryPolicy {
  /** Requests in a row that bring nothing new before giving up. */
  readonly attempts: number;
  /** Wait before the second request; doubles with each further one. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Longest silence of a server, before or between bytes. */
  readonly silenceTimeoutMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 6,
  firstDelayMs: 500,
  maxDelayMs: 30_000,
  silenceTimeoutMs: 30_000,
};

/** A refusal by the server that does not go away by asking again. */
export function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/**
 * Waits before another request: what the server asked for in Retry-After, else exponentially longer.
 * @param failures in a row so far, from 1 on
 * @throws the signal's reason
 */
export async function waitBeforeRetry(
  policy: RetryPolicy,
  failures: number,
  response: Response | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const askedSeconds = Number(response?.headers.get("retry-after") ?? Number.NaN);
  const backoffMs = policy.firstDelayMs * 2 ** (failures - 1);
  const waitMs = Number.isFinite(askedSeconds) ? askedSeconds * 1000 : backoffMs;
  try {
    await delay(Math.min(waitMs, policy.maxDelayMs), undefined, { ...(signal ? { signal } : {}) });
  } catch (reason) {
    signal?.throwIfAborted();
    throw reason;
  }
}

export interface SilenceWatch {
  readonly signal: AbortSignal;
  readonly heard: () => void;
  readonly end: () => void;
}

/** Aborts when nobody calls `heard` for so long, and when `signal` does. */
export function silenceWatch(timeoutMs: number, signal: AbortSignal | undefined): SilenceWatch {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new Error(`the server was silent for ${timeoutMs} ms`)),
    timeoutMs,
  );
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    heard: () => timer.refresh(),
    end: () => clearTimeout(timer),
  };
}
