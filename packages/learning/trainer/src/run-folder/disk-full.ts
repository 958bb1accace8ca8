/** Writes to a disk that may be full: a run waits for space instead of losing trained steps. */
import { type Clock, delay, systemClock } from "@palimpsest/std";

const retryEveryMs = 1_000;
const warnEveryMs = 60_000;

/** Returns true for errors of a full disk or an exhausted quota, also as the cause of another error. */
export function isDiskFull(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  if ("code" in reason && (reason.code === "ENOSPC" || reason.code === "EDQUOT")) return true;
  return isDiskFull(reason.cause);
}

export interface DiskFullOptions {
  /** Called with the disk's error when the waiting begins, and once per minute while it lasts. */
  readonly onWait: (error: Error) => void;
  /** Ends the waiting; the disk's error is then thrown. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Runs the write, and retries it every second while the disk is full. The write must be all or nothing: what a
 * failed attempt left behind is replaced by the next.
 * @throws every other error of the write, and the disk's own after `signal`
 */
export async function whenDiskHasSpace<T>(
  write: () => Promise<T> | T,
  { onWait, signal, clock = systemClock }: DiskFullOptions,
): Promise<T> {
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await write();
    } catch (reason) {
      if (!(reason instanceof Error) || !isDiskFull(reason) || signal?.aborted) throw reason;
      if (clock.monotonicMs() - warnedAtMs >= warnEveryMs) {
        warnedAtMs = clock.monotonicMs();
        onWait(reason);
      }
      await delay(retryEveryMs, signal, clock);
    }
  }
}
