/** The clock of a process. A simulation or a test supplies its own. */
export interface Clock {
  /** Wall-clock milliseconds since the epoch, for people and records. The value may jump. */
  now(): number;
  /** Milliseconds since an arbitrary moment, never decreasing. Use it for deadlines, leases and back-off. */
  monotonicMs(): number;
  /** Runs the callback once after delayMs milliseconds. The returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Runs the callback repeatedly, each time intervalMs milliseconds after it returned. The returned function stops it.
 */
export function every(clock: Clock, intervalMs: number, callback: () => void): () => void {
  let stopped = false;
  let cancel = clock.after(intervalMs, tick);
  function tick(): void {
    callback();
    if (!stopped) cancel = clock.after(intervalMs, tick);
  }
  return () => {
    stopped = true;
    cancel();
  };
}
