/**
 * Responsibility: a limit on what runs at once, counted in any unit, such as calls or bytes.
 * Not responsible for: what runs, and how long it may take.
 *
 * Invariants:
 * - SEMAPHORE-1. What is taken and not released never exceeds `most`. Who wants more than `most` gets all of it, and so
 *   has it alone.
 * - SEMAPHORE-2. Requests are served in the order of their arrival. More than `maxWaiting` are refused.
 * - SEMAPHORE-3. A waiting request that is aborted leaves the queue at once and rejects with the signal's reason.
 * - SEMAPHORE-4. After close every waiting and later request rejects; close resolves when nothing is taken.
 */

export interface SemaphoreOptions {
  readonly most: number;
  readonly maxWaiting: number;
  /** The error for one request more than may wait. */
  readonly full: (waiting: number) => Error;
}

interface Waiting {
  readonly amount: number;
  readonly serve: () => void;
  readonly fail: (reason: unknown) => void;
}

export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting = new Set<Waiting>();
  readonly #idle: (() => void)[] = [];
  #taken = 0;
  #closed: (() => Error) | undefined;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** @returns a function that releases what was taken, once */
  async take(wanted = 1, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#closed !== undefined) throw this.#closed();
    const { most, maxWaiting, full } = this.#options;
    const amount = Math.min(wanted, most);
    if (this.#waiting.size === 0 && this.#taken + amount <= most) this.#taken += amount;
    else if (this.#waiting.size >= maxWaiting) throw full(this.#waiting.size);
    else await this.#turn(amount, signal);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#taken -= amount;
      this.#serve();
    };
  }

  /** @throws {Error} of `take`; whatever the work throws */
  async run<T>(work: () => Promise<T>, { amount = 1, signal }: RunOptions = {}): Promise<T> {
    const release = await this.take(amount, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** @param closed the error for requests that wait, and for later ones */
  async close(closed: () => Error): Promise<void> {
    this.#closed = closed;
    for (const { fail } of this.#waiting) fail(closed());
    if (this.#taken === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async #turn(amount: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        entry.fail(signal?.reason);
        // The request may have been the one that those behind it waited for.
        this.#serve();
      };
      const left = () => {
        this.#waiting.delete(entry);
        signal?.removeEventListener("abort", leave);
      };
      const entry: Waiting = {
        amount,
        serve: () => {
          left();
          resolve();
        },
        fail: (reason) => {
          left();
          reject(reason);
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.add(entry);
    });
  }

  #serve(): void {
    for (const { amount, serve } of this.#waiting) {
      if (this.#taken + amount > this.#options.most) break;
      this.#taken += amount;
      serve();
    }
    if (this.#taken === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

export interface RunOptions {
  readonly amount?: number;
  readonly signal?: AbortSignal | undefined;
}
