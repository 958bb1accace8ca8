import type { Clock } from "@palimpsest/std";
import { whenAborted } from "@palimpsest/std";

/** Callers that wait until an actor is alive, or until it is known that it never will be. */
export class ReadyWaiters {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the next wake(), after `timeoutMs`, or as soon as the signal aborts. */
  wait(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        cancelTimer();
        this.#waiting.delete(wake);
        unwatch?.();
        resolve();
      };
      const cancelTimer = this.#clock.after(timeoutMs, wake);
      this.#waiting.add(wake);
      const unwatch = signal && whenAborted(signal, wake);
    });
  }
}
