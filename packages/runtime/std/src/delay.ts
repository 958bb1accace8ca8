import { type Clock, systemClock } from "./clock.js";
import { whenAborted } from "./when-aborted.js";

/** Resolves after `delayMs`, or as soon as the signal aborts. */
export function delay(delayMs: number, signal?: AbortSignal, clock: Clock = systemClock): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      unwatch?.();
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    const unwatch = signal && whenAborted(signal, done);
    if (signal?.aborted) done();
  });
}
