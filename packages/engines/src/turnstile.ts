import { EngineError } from "./error.js";

/*
 * Responsibility: limits how many calls run at once, in the order of their arrival, and sometimes runs one alone.
 * Not responsible for: what the calls do, and how long they may take.
 * - TURNSTILE-1. At most `maxRunning` calls run and at most `maxWaiting` wait; one more rejects with QUEUE_FULL.
 * - TURNSTILE-2. A call that runs alone starts when those before it are done; those after it wait until it is done.
 * - TURNSTILE-3. A waiting call that is aborted leaves the queue at once and rejects with the signal's reason.
 * - TURNSTILE-4. After close every waiting call rejects with CLOSED; close resolves when the running ones are done.
 */

interface Waiting {
  readonly alone: boolean;
  readonly start: () => void;
  readonly fail: (error: unknown) => void;
}

export class Turnstile {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  #waiting: Waiting[] = [];
  #running = 0;
  #alone = false;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(limits: { readonly maxRunning: number; readonly maxWaiting: number }) {
    this.#maxRunning = limits.maxRunning;
    this.#maxWaiting = limits.maxWaiting;
  }

  /** @throws {EngineError} QUEUE_FULL, CLOSED; the signal's reason; whatever the call throws */
  async run<T>(call: () => Promise<T>, signal?: AbortSignal, alone = false): Promise<T> {
    await this.#turn(alone, signal);
    try {
      return await call();
    } finally {
      this.#running -= 1;
      if (alone) this.#alone = false;
      this.#next();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { fail } of waiting) fail(closed());
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
    });
  }

  async #turn(alone: boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#closed) throw closed();
    if (this.#waiting.length === 0 && this.#mayStart(alone)) {
      this.#begin(alone);
      return;
    }
    if (this.#waiting.length >= this.#maxWaiting) {
      const message = `${this.#waiting.length} requests are already waiting; send fewer at once or raise maxQueue`;
      throw new EngineError("QUEUE_FULL", message);
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((other) => other !== entry);
        entry.fail(signal?.reason);
        // The removed call may have been the one that wanted to run alone.
        this.#next();
      };
      const entry: Waiting = {
        alone,
        start: () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
        fail: (error) => {
          signal?.removeEventListener("abort", leave);
          reject(error);
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(entry);
    });
  }

  #mayStart(alone: boolean): boolean {
    if (this.#alone) return false;
    return alone ? this.#running === 0 : this.#running < this.#maxRunning;
  }

  #begin(alone: boolean): void {
    this.#running += 1;
    this.#alone = alone;
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (!this.#mayStart(first.alone)) break;
      this.#waiting.shift();
      this.#begin(first.alone);
      first.start();
    }
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

const closed = () => new EngineError("CLOSED", "the engine was closed; create another one");
