import type { Clock } from "./clock.js";
import { whenAborted } from "./when-aborted.js";

/** Callers that wait until they are woken, all of them or those that wait for something of their own. */
export class Waiters<Key = undefined> {
  readonly #clock: Clock;
  readonly #waiting = new Map<Key | undefined, Set<(isWoken: boolean) => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to true at the next wake of the key or of all, to false after `timeoutMs` or as soon as the signal aborts. */
  wait(timeoutMs: number, signal?: AbortSignal, key?: Key): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const done = (isWoken: boolean) => {
        cancel();
        unwatch?.();
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve(isWoken);
      };
      waiting.add(done);
      const cancel = this.#clock.after(timeoutMs, () => done(false));
      const unwatch = signal && whenAborted(signal, () => done(false));
      if (signal?.aborted) done(false);
    });
  }

  wake(key: Key): void {
    for (const done of [...(this.#waiting.get(key) ?? [])]) done(true);
  }

  wakeAll(): void {
    for (const waiting of [...this.#waiting.values()]) for (const done of [...waiting]) done(true);
  }
}
