/**
 * Responsibility: one `map` or `mapUnordered` of a pool: takes values, has them worked on, hands out results.
 * Not responsible for: which actor works (pool-members.ts).
 *
 * Invariants:
 * - POOLMAP-1. A value is taken only when an actor is idle, so at most one waits for an actor that was lent elsewhere
 *   meanwhile; and only while fewer values than actors and `maxUnread` wait for their results to be read.
 * - POOLMAP-2. Each value has one place among the results. A failure takes only its own place: later reads go on.
 * - POOLMAP-3. Nothing is taken before the first read, nor between the read of a failure and the next read: a loop that
 *   ends by the failure begins no more work.
 */
import type { ActorHandle } from "./actor-handle.js";
import type { PoolMembers } from "./pool-members.js";

/** Results of one map that may wait for its reader, besides one per actor. */
export const maxUnread = 16;

/** What an actor of the pool does with a value. The actor is busy until the promise has ended. */
export type PoolWork<Actor, Value, Result> = (
  actor: ActorHandle<Actor>,
  value: Value,
) => Result | PromiseLike<Result>;

export interface PoolMapOptions<Actor, Value, Result> {
  readonly members: PoolMembers<Actor>;
  readonly work: PoolWork<Actor, Value, Result>;
  readonly values: Iterable<Value> | AsyncIterable<Value>;
  /** Whether results come in the order of their values. */
  readonly ordered: boolean;
}

interface Place<Result> {
  outcome: PromiseSettledResult<Result> | undefined;
}

interface Reader<Result> {
  resolve(item: IteratorResult<Result>): void;
  reject(reason: unknown): void;
}

export class PoolMap<Actor, Value, Result> implements AsyncIterableIterator<Result> {
  readonly #options: PoolMapOptions<Actor, Value, Result>;
  readonly #input: Iterator<Value> | AsyncIterator<Value>;
  /** Of values that were taken, without those whose results are ready, in the order of the input. */
  #places: Place<Result>[] = [];
  #ready: PromiseSettledResult<Result>[] = [];
  readonly #readers: Reader<Result>[] = [];
  /** No more values: the input has ended, or the reader has left. */
  #over = false;
  #paused = false;
  #taking = false;
  /** The input was asked for a value and has not answered. */
  #asking = false;

  constructor(options: PoolMapOptions<Actor, Value, Result>) {
    this.#options = options;
    this.#input = iteratorOf(options.values);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Result>> {
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
      this.#paused = false;
      this.#goOn();
    });
  }

  /** Takes no more values. Work that has begun ends, and its results are dropped. */
  async return(): Promise<IteratorResult<Result>> {
    this.#over = true;
    this.#places = [];
    this.#ready = [];
    this.#goOn();
    const closed = Promise.resolve(this.#input.return?.());
    // An input that is still making a value closes when it has made it, which can be never.
    if (this.#asking) closed.catch(() => undefined);
    else await closed;
    return { done: true, value: undefined };
  }

  #goOn(): void {
    this.#deliver();
    void this.#take();
  }

  #deliver(): void {
    for (let reader = this.#readers[0]; reader; reader = this.#readers[0]) {
      const outcome = this.#ready.shift();
      if (!outcome && !(this.#over && this.#places.length === 0)) return;
      this.#readers.shift();
      if (!outcome) reader.resolve({ done: true, value: undefined });
      else if (outcome.status === "fulfilled") reader.resolve({ done: false, value: outcome.value });
      else {
        this.#paused = this.#readers.length === 0;
        reader.reject(outcome.reason);
      }
    }
  }

  async #take(): Promise<void> {
    if (this.#taking) return;
    this.#taking = true;
    while (this.#mayTake()) {
      await this.#options.members.whenIdle();
      if (this.#mayTake()) await this.#takeOne();
    }
    this.#taking = false;
  }

  #mayTake(): boolean {
    const unread = this.#places.length + this.#ready.length;
    return !this.#over && !this.#paused && unread < this.#options.members.size + maxUnread;
  }

  async #takeOne(): Promise<void> {
    const { members, work } = this.#options;
    const place: Place<Result> = { outcome: undefined };
    try {
      this.#asking = true;
      const item = await this.#input.next();
      this.#asking = false;
      if (this.#over) return;
      if (item.done) {
        this.#over = true;
        this.#deliver();
        return;
      }
      this.#places.push(place);
      members
        .run((actor) => work(actor, item.value))
        .then(
          (value) => this.#end(place, { status: "fulfilled", value }),
          (reason: unknown) => this.#end(place, { status: "rejected", reason }),
        );
    } catch (reason) {
      // The input failed: that comes after the results of the values before.
      this.#asking = false;
      if (this.#over) return;
      this.#over = true;
      this.#places.push(place);
      this.#end(place, { status: "rejected", reason });
    }
  }

  #end(place: Place<Result>, outcome: PromiseSettledResult<Result>): void {
    const index = this.#places.indexOf(place);
    if (index < 0) return;
    place.outcome = outcome;
    if (!this.#options.ordered) {
      this.#places.splice(index, 1);
      this.#ready.push(outcome);
    }
    for (let first = this.#places[0]; first?.outcome; first = this.#places[0]) {
      this.#places.shift();
      this.#ready.push(first.outcome);
    }
    this.#goOn();
  }
}

function iteratorOf<Value>(
  values: Iterable<Value> | AsyncIterable<Value>,
): Iterator<Value> | AsyncIterator<Value> {
  if (typeof values === "object" && Symbol.asyncIterator in values) return values[Symbol.asyncIterator]();
  return values[Symbol.iterator]();
}
