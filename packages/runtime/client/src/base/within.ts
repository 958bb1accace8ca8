import { type Clock, unlessAborted, withDeadline } from "@palimpsest/std";
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
  const tooLate = () => new PalimpsestError("GET_TIMEOUT", `${late} within ${Math.round(timeoutMs)} ms`);
  return await withDeadline({ timeoutMs, signals: [signal], late: tooLate, clock }, (over) =>
    unlessAborted(over, work),
  ).catch((reason: unknown) => {
    if (signal?.aborted && reason === signal.reason)
      throw new PalimpsestError("CANCELLED", "the caller gave up", { cause: reason });
    throw reason;
  });
}
