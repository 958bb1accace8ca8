import { type Clock, delay, whenAborted } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";

/**
 * Resolves or rejects as the first of these does: the promise, the timeout or the signal.
 * @throws {PalimpsestError} GET_TIMEOUT, CANCELLED
 */
export async function within<T>(
  work: Promise<T>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  clock: Clock,
  late = "the value was not available",
): Promise<T> {
  if (!Number.isFinite(timeoutMs) && signal === undefined) return await work;
  const over = new AbortController();
  const stop = () => over.abort();
  const unwatch = signal && whenAborted(signal, stop);
  if (signal?.aborted) stop();
  const giveUp = delay(timeoutMs, over.signal, clock).then(() => {
    if (signal?.aborted)
      throw new PalimpsestError("CANCELLED", "the caller gave up", { cause: signal.reason });
    throw new PalimpsestError("GET_TIMEOUT", `${late} within ${Math.round(timeoutMs)} ms`);
  });
  giveUp.catch(() => undefined);
  try {
    return await Promise.race([work, giveUp]);
  } finally {
    unwatch?.();
    over.abort();
  }
}
