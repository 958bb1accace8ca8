import { type Clock, systemClock } from "@palimpsest/wire";

/** Returns after `delayMs` or as soon as the signal aborts. */
export function delay(delayMs: number, signal?: AbortSignal, clock: Clock = systemClock): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted) done();
  });
}
