import { shownValue } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { ActorHandle } from "../actors/actor-handle.js";
import { refused } from "../base/fields.js";
import { PoolMap, type PoolWork } from "./pool-map.js";
import { PoolMembers } from "./pool-members.js";
import { PoolResults } from "./pool-results.js";

/**
 * Actors that share work, each of them one item at a time. Work goes to the actor that has been idle longest; without
 * an idle actor it waits in order. An actor that has died leaves the pool; when none is left, pending work fails with
 * ACTOR_DIED.
 *
 * @typeParam Result the result of the work that is passed to submit()
 */
export class ActorPool<Actor, Result = unknown> {
  readonly #members = new PoolMembers<Actor>();
  readonly #results = new PoolResults<Result>();

  /**
   * @param actors at least one, without duplicates; the pool does not end them
   * @throws {PalimpsestError} INVALID_ARGUMENT, ALREADY_EXISTS
   */
  constructor(actors: Iterable<ActorHandle<Actor>>) {
    if (typeof actors !== "object" || actors === null || !(Symbol.iterator in actors))
      throw refused("the actors of an ActorPool", `is ${shownValue(actors)}: give a list of handles`);
    for (const actor of actors) this.#members.add(actor);
    if (this.#members.size > 0) return;
    throw new PalimpsestError("INVALID_ARGUMENT", "actors is empty: pass at least one actor to the pool");
  }

  /**
   * Yields the results of the values in their order, each as soon as it and all earlier ones are available. A value
   * is taken from the input when an actor is idle, and only while fewer than the number of actors plus 16 results are
   * unread.
   *
   * @param work an error that it throws is thrown when the result of its value is read; later reads continue. It must
   *   pass on an actor's death, so that the pool notices it
   */
  map<Value, Output>(
    work: PoolWork<Actor, Value, Output>,
    values: Iterable<Value> | AsyncIterable<Value>,
  ): AsyncIterableIterator<Output> {
    return new PoolMap({ members: this.#members, work, values, ordered: true });
  }

  /** Processes the values as map() does, but yields the results in the order in which they become available. */
  mapUnordered<Value, Output>(
    work: PoolWork<Actor, Value, Output>,
    values: Iterable<Value> | AsyncIterable<Value>,
  ): AsyncIterableIterator<Output> {
    return new PoolMap({ members: this.#members, work, values, ordered: false });
  }

  /**
   * Passes the value to an idle actor, or queues it until one is idle. Read its result with next() or
   * nextUnordered().
   * @throws {PalimpsestError} PENDING_CALLS_LIMIT when 10,000 results have not been read
   */
  submit<Value>(work: PoolWork<Actor, Value, Result>, value: Value): void {
    this.#results.expectRoom();
    this.#results.add(this.#members.run((actor) => work(actor, value)));
  }

  /** Returns whether there is a submitted item whose result has not been requested. */
  hasNext(): boolean {
    return this.#results.left > 0;
  }

  /**
   * Returns the result of the item that was submitted first. @throws {PalimpsestError} NOT_FOUND if there is none;
   * the item's own error
   */
  next(): Promise<Result> {
    return this.#results.next();
  }

  /**
   * Returns the result that completed first. @throws {PalimpsestError} NOT_FOUND if there is none; the item's own
   * error
   */
  nextUnordered(): Promise<Result> {
    return this.#results.nextUnordered();
  }

  /** Adds an actor. @throws {PalimpsestError} ALREADY_EXISTS if it is in the pool */
  push(actor: ActorHandle<Actor>): void {
    this.#members.add(actor);
  }

  /** Removes an idle actor from the pool and returns it; undefined if all are busy. */
  popIdle(): ActorHandle<Actor> | undefined {
    return this.#members.takeIdle();
  }

  /** Returns whether an actor is idle. */
  hasFree(): boolean {
    return this.#members.idleCount > 0;
  }
}
