import { SYNC } from "./layout.js";

/** Number of polls before a thread sleeps: a few microseconds, which is how long most waits take. */
const spins = 2000;
/** No step of a layer takes this long, so the other thread must have died. */
const longestPatienceMs = 20_000;

/**
 * Responsibility: synchronizes the threads of one step, and workers that wait for the next job.
 * Not responsible for: what they do in between.
 *
 * Invariants:
 * - SINGLE-1. No thread passes a barrier before all have reached it; one that waits for 20 s throws instead, and so does every thread
 *   that comes to a barrier after that, because a late one would be paired with a later pass.
 */
export class Barrier {
  readonly #sync: Int32Array;
  readonly #threads: number;
  readonly #patienceMs: number;

  constructor(sync: Int32Array, threads: number, patienceMs = longestPatienceMs) {
    this.#sync = sync;
    this.#threads = threads;
    this.#patienceMs = patienceMs;
  }

  /** Whether a thread has waited for another in vain. */
  get isBroken(): boolean {
    return Atomics.load(this.#sync, SYNC.broken) !== 0;
  }

  wait(): void {
    if (this.#threads === 1) return;
    if (this.isBroken)
      throw new Error("internal: another thread of the single-request decoder gave up waiting");
    const sync = this.#sync;
    const round = Atomics.load(sync, SYNC.round);
    if (Atomics.add(sync, SYNC.arrived, 1) === this.#threads - 1) {
      Atomics.store(sync, SYNC.arrived, 0);
      Atomics.add(sync, SYNC.round, 1);
      if (Atomics.load(sync, SYNC.sleeping) > 0) Atomics.notify(sync, SYNC.round);
    } else this.#until(SYNC.round, round, this.#patienceMs);
  }

  /** Waits until the number at an index has changed. */
  #until(index: number, before: number, patience: number): void {
    const sync = this.#sync;
    for (let i = 0; i < spins; i++) if (Atomics.load(sync, index) !== before) return;
    Atomics.add(sync, SYNC.sleeping, 1);
    try {
      while (Atomics.load(sync, index) === before)
        if (
          Atomics.wait(sync, index, before, patience) === "timed-out" &&
          Atomics.load(sync, index) === before
        ) {
          Atomics.store(sync, SYNC.broken, 1);
          throw new Error(
            `internal: a thread of the single-request decoder did not reach the barrier within ${patience} ms`,
          );
        }
    } finally {
      Atomics.sub(sync, SYNC.sleeping, 1);
    }
  }

  /** Gives workers a job; a negative one ends them. */
  give(job: number): void {
    Atomics.store(this.#sync, SYNC.job, job);
    if (Atomics.load(this.#sync, SYNC.sleeping) > 0) Atomics.notify(this.#sync, SYNC.job);
  }

  /** @returns the job after this one */
  nextJob(last: number): number {
    this.#until(SYNC.job, last, Number.POSITIVE_INFINITY);
    return Atomics.load(this.#sync, SYNC.job);
  }
}
