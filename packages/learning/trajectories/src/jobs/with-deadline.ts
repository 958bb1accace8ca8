import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Aborts the work's own signal as well. */
  readonly signal: AbortSignal;
  /** Names the work in the error. */
  readonly what: string;
}

/**
 * Runs the work with a signal that aborts at the deadline. A promise that never settles is abandoned.
 * @throws {PalimpsestError} GET_TIMEOUT at the deadline; otherwise whatever the work throws
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, timeoutMs, signal, what }: DeadlineOptions,
): Promise<T> {
  const deadline = new AbortController();
  const abort = (): void => deadline.abort(signal.reason);
  if (signal.aborted) {
    abort();
  }
  signal.addEventListener("abort", abort);
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(timeoutMs, () => {
      const error = new PalimpsestError(
        "GET_TIMEOUT",
        `${what} took longer than ${timeoutMs} ms and was aborted`,
      );
      deadline.abort(error);
      reject(error);
    });
  });
  try {
    return await Promise.race([work(deadline.signal), late]);
  } finally {
    cancel();
    signal.removeEventListener("abort", abort);
  }
}
