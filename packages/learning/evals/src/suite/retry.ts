import { backoffMs, delay, jittered } from "@palimpsest/std";

/** The rules that say which failures are retried, how often, and after which waits. */
export interface RetryRules {
  /** Number of attempts in total, ≥ 1. Default 4. */
  readonly maxAttempts: number;
  /**
   * Milliseconds before the second attempt, doubled for each further one. Jitter shortens each wait by up to half.
   * Default 500.
   */
  readonly backoffMs: number;
  /** Longest wait in milliseconds. Default 30,000. */
  readonly maxBackoffMs: number;
  /** Returns whether an error is retried. Default: errors with `retryable: true`. */
  readonly isTransient: (error: unknown) => boolean;
  /** Waits for that many milliseconds; tests replace it. Rejects with the signal's reason when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type Attempted<T> =
  | { readonly value: T; readonly attempts: number }
  | { readonly failure: string; readonly attempts: number };

/**
 * Makes attempts until one succeeds, fails with an error that is not transient, or is the last one allowed.
 * @throws the signal's reason only; failures are returned
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  rules: Partial<RetryRules> & { readonly seed: number },
  signal: AbortSignal,
): Promise<Attempted<T>> {
  const {
    maxAttempts = 4,
    backoffMs: firstMs = 500,
    maxBackoffMs: longestMs = 30_000,
    isTransient = saysRetryable,
    wait = sleep,
  } = rules;
  for (let attempts = 1; ; attempts++) {
    try {
      return { value: await attempt(), attempts };
    } catch (error) {
      signal.throwIfAborted();
      if (attempts >= maxAttempts || !isTransient(error)) return { failure: reasonOf(error), attempts };
      // The jitter comes from the seed, so that items that failed together are not retried at the same moment.
      const spread = ((rules.seed * 0x9e3779b1 + attempts * 0x85ebca6b) >>> 0) / 2 ** 32;
      await wait(jittered(backoffMs({ firstMs, longestMs }, attempts), spread), signal);
    }
  }
}

function saysRetryable(error: unknown): boolean {
  return typeof error === "object" && error !== null && "retryable" in error && error.retryable === true;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, signal);
  signal.throwIfAborted();
}
