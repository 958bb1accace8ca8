/**
 * Runs a call under a signal that fires after `timeoutMs` milliseconds or with one of the caller's signals. Timer and
 * listener are removed when the call ends, so that thousands of requests under one caller's signal leave nothing
 * behind.
 * @param late returns the signal's reason after the deadline
 */
export async function withDeadline<T>(
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
  late: () => Error,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const given = signals.filter((signal) => signal !== undefined);
  for (const signal of given) signal.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (event: Event) => controller.abort((event.target as AbortSignal).reason);
  for (const signal of given) signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(late()), timeoutMs);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of given) signal.removeEventListener("abort", onAbort);
  }
}
