import type { CachePool } from "../calls/cache-pool.js";
import type { SampledRow } from "../calls/sampling-device.js";
import type { Generation } from "./generation.js";
import type { SamplerMeter } from "./sampler-stats.js";

/**
 * Responsibility: the requests of a sampler: those that wait, those that own a part of the cache, and what poisoned ones
 * left in it.
 * Not responsible for: which of them a device call serves (device-calls.ts), when new ones may start (model-sampler.ts).
 */
export class Batch {
  readonly #pool: CachePool;
  readonly #maxRunning: number;
  readonly #meter: SamplerMeter;
  #waiting: Generation[] = [];
  #running: Generation[] = [];
  /** Pages or slots to be zeroed before the next call; undefined: none, and the spare page is clean too. */
  #unsound: number[] | undefined;

  constructor(pool: CachePool, maxRunning: number, meter: SamplerMeter) {
    this.#pool = pool;
    this.#maxRunning = maxRunning;
    this.#meter = meter;
  }

  get waiting(): readonly Generation[] {
    return this.#waiting;
  }

  /** In the order in which they are continued. */
  get running(): readonly Generation[] {
    return this.#running;
  }

  add(generation: Generation): void {
    this.#waiting.push(generation);
  }

  /** Gives cache room to waiting requests, oldest first, as long as there is some. */
  admit(): void {
    let started = 0;
    for (const generation of this.#waiting) {
      if (this.#running.length >= this.#maxRunning) break;
      const { promptTokenIds, maxTokens } = generation.request;
      const lease = this.#pool.reserve(promptTokenIds, promptTokenIds.length + maxTokens);
      if (lease === undefined) break;
      generation.lease = lease;
      generation.readTokens = lease.sharedTokens;
      this.#running.push(generation);
      this.#meter.addStarted((performance.now() - generation.arrivedAtMs) / 1000, lease.sharedTokens);
      started++;
    }
    this.#waiting = this.#waiting.slice(started);
  }

  /** Whether a prompt of the batch is not read to its end. */
  get isReading(): boolean {
    return this.#running.some((generation) => generation.isReading);
  }

  /** Requests whose prompt has a piece that can be read now. */
  get readable(): readonly Generation[] {
    return this.#running.filter(
      (generation) => generation.isReading && this.#pool.state(leaseOf(generation)) === "filled",
    );
  }

  /** More of the request's prompt has been read. */
  filled(generation: Generation, readTokens: number): void {
    generation.readTokens = readTokens;
    this.#pool.filled(leaseOf(generation), readTokens);
  }

  /** Moves them to the back, so that all requests are served in turn. */
  putLast(served: readonly Generation[]): void {
    const taken = new Set(served);
    this.#running = [...this.#running.filter((generation) => !taken.has(generation)), ...served];
  }

  /** Marks poisoned requests before any tokens are taken, because a callback may abort other requests. */
  notePoisoned(batch: readonly Generation[], sampled: readonly SampledRow[]): void {
    batch.forEach((generation, i) => {
      const finite = sampled[i]?.every(
        ({ rolloutLogprob, sampledLogprob }) =>
          Number.isFinite(rolloutLogprob) && Number.isFinite(sampledLogprob),
      );
      if (finite === true) return;
      generation.isPoisoned = true;
      this.#unsound ??= [];
    });
  }

  /**
   * Has what poisoned requests left zeroed before the next call, and the spare page with it (SAMPLER-8). If `zero` throws, some of
   * it may still be there, so all of it is kept for the next call of this method.
   */
  zeroUnsound(zero: (pages: readonly number[]) => void): void {
    if (this.#unsound === undefined) return;
    zero(this.#unsound);
    this.#unsound = undefined;
  }

  /** Removes it from the queue or from the batch. */
  forget(generation: Generation): void {
    const { lease } = generation;
    if (lease === undefined) {
      this.#waiting = this.#waiting.filter((other) => other !== generation);
      return;
    }
    this.#release(generation);
    // Requests that waited for what this one was about to read start again, before all others.
    const stranded = this.#running.filter(
      (other) => other.isReading && this.#pool.state(leaseOf(other)) === "broken",
    );
    for (const other of stranded) this.#release(other);
    this.#waiting.unshift(...stranded);
  }

  #release(generation: Generation): void {
    this.#running = this.#running.filter((other) => other !== generation);
    const lease = leaseOf(generation);
    if (generation.isPoisoned) this.#unsound = [...(this.#unsound ?? []), ...this.#pool.discard(lease)];
    else this.#pool.release(lease, generation.writtenTokenIds);
    generation.isPoisoned = false;
    generation.lease = undefined;
    generation.readTokens = 0;
  }

  /** Rejects all requests. */
  fail(error: unknown): void {
    for (const generation of [...this.#waiting, ...this.#running]) {
      this.forget(generation);
      generation.settle({ error });
    }
  }
}

function leaseOf({ lease }: Generation): NonNullable<Generation["lease"]> {
  if (lease === undefined) throw new Error("internal: a request in the batch has no lease on the cache");
  return lease;
}
