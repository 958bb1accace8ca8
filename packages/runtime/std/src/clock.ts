/** A timer of Node.js with more milliseconds, which are 24.8 days, runs at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The clock of a process. A simulation or a test supplies its own. */
export interface Clock {
  /** Wall-clock milliseconds since the epoch, for people and records. The value may jump. */
  now(): number;
  /** Milliseconds since an arbitrary moment, never decreasing. Use it for deadlines, leases and back-off. */
  monotonicMs(): number;
  /**
   * Runs the callback once after delayMs milliseconds, however many they are; after Infinity never. The returned function
   * cancels it.
   */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = clockOf((timer) => timer);

/** The system clock, but that its timers keep no process running. */
export const backgroundClock: Clock = clockOf((timer) => timer.unref());

function clockOf(made: (timer: NodeJS.Timeout) => NodeJS.Timeout): Clock {
  return {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    after(delayMs, callback) {
      let leftMs = delayMs;
      let timer: NodeJS.Timeout | undefined;
      const arm = () => {
        const ms = Math.min(leftMs, longestTimerMs);
        leftMs -= ms;
        timer = made(setTimeout(leftMs > 0 ? arm : callback, ms));
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}

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
