/** Time as the head sees it; tests move it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs the callback once after delayMs; the returned function takes it back. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Runs the callback again and again, intervalMs after it returned; the returned function ends it. */
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
