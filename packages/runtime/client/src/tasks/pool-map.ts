/**
 * Responsibility: one `map` or `mapUnordered` of a pool: takes values, has them processed, and returns the results.
 * Not responsible for: choosing the actor (pool-members.ts).
 *
 * Invariants:
 * - POOLMAP-1. A value is taken only when an actor is idle, so that at most one waits for an actor that got other
 *   work in the meantime, and only while fewer values than the number of actors plus `maxUnread` have unread results.
 * - POOLMAP-2. Each value has one position among the results. A failure takes only its own position: later reads
 *   continue.
 * - POOLMAP-3. Nothing is taken before the first read, nor between the read of a failure and the next read, so that a
 *   loop that ends with the failure starts no more work.
 */

import type { ActorHandle } from "../actors/actor-handle.js";
import { checkValue } from "../base/fields.js";
import type { PoolMembers } from "./pool-members.js";

/** The number of results of one map that may wait for the reader, in addition to one per actor. */
export const maxUnread = 16;

/** The work of a pool's actor on a value. The actor is busy until the promise settles. */
export type PoolWork<Actor, Value, Result> = (
  actor: ActorHandle<Actor>,
  value: Value,
) => Result | PromiseLike<Result>;

export interface PoolMapOptions<Actor, Value, Result> {
  readonly members: PoolMembers<Actor>;
  readonly work: PoolWork<Actor, Value, Result>;
  readonly values: Iterable<Value> | AsyncIterable<Value>;
  /** Whether results are returned in the order of their values. */
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
  /** The results of values that were taken, except for those that are ready, in the order of the input. */
  #places: Place<Result>[] = [];
  #ready: PromiseSettledResult<Result>[] = [];
  readonly #readers: Reader<Result>[] = [];
  /** True when no more values are taken, because the input has ended or the reader has left. */
  #over = false;
  #paused = false;
  #taking = false;
  /** True while a value has been requested from the input and has not arrived. */
  #asking = false;

  constructor(options: PoolMapOptions<Actor, Value, Result>) {
    checkValue(
      options.work,
      { passes: (given) => typeof given === "function", give: "a function" },
      "work of a pool",
    );
    checkValue(
      options.values,
      { passes: isIterable, give: "a list, or another iterable" },
      "values of a pool",
    );
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

  /** Takes no more values. Work in progress ends, and its results are dropped. */
  async return(): Promise<IteratorResult<Result>> {
    this.#over = true;
    this.#places = [];
    this.#ready = [];
    this.#goOn();
    const closed = Promise.resolve(this.#input.return?.());
    // An input that is still computing a value closes after that value, which may never arrive.
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
      // A failure of the input is returned after the results of the values before it.
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

const isIterable = (given: unknown): boolean =>
  typeof given === "string" ||
  (typeof given === "object" &&
    given !== null &&
    (Symbol.iterator in given || Symbol.asyncIterator in given));
