import { PalimpsestError } from "@palimpsest/wire";
import type { ActorHandle } from "./actor-handle.js";
import { PoolMap, type PoolWork } from "./pool-map.js";
import { PoolMembers } from "./pool-members.js";
import { PoolResults } from "./pool-results.js";

/**
 * Actors that share work, one piece at a time each. Work goes to the actor that has been idle longest; without one it
 * waits its turn. An actor that has died leaves the pool; when none is left, what waits fails with ACTOR_DIED.
 *
 * @typeParam Result what work that is given to submit() returns
 */
export class ActorPool<Actor, Result = unknown> {
  readonly #members = new PoolMembers<Actor>();
  readonly #results = new PoolResults<Result>();

  /**
   * @param actors at least one, each once; the pool does not end them
   * @throws {PalimpsestError} INVALID_ARGUMENT, ALREADY_EXISTS
   */
  constructor(actors: Iterable<ActorHandle<Actor>>) {
    for (const actor of actors) this.#members.add(actor);
    if (this.#members.size > 0) return;
    throw new PalimpsestError("INVALID_ARGUMENT", "actors is empty: a pool begins with at least one actor");
  }

  /**
   * The results of the values, in their order, each as soon as it and those before it are there. A value is taken when
   * an actor is idle, and only while fewer values than actors plus 16 have results that were not read.
   *
   * @param work an error that it throws is thrown by the read of its value's result; reads after it go on. An actor's
   *   death has to be among what it throws for the pool to notice
   */
  map<Value, Output>(
    work: PoolWork<Actor, Value, Output>,
    values: Iterable<Value> | AsyncIterable<Value>,
  ): AsyncIterableIterator<Output> {
    return new PoolMap({ members: this.#members, work, values, ordered: true });
  }

  /** As map(), with the results in the order in which they come. */
  mapUnordered<Value, Output>(
    work: PoolWork<Actor, Value, Output>,
    values: Iterable<Value> | AsyncIterable<Value>,
  ): AsyncIterableIterator<Output> {
    return new PoolMap({ members: this.#members, work, values, ordered: false });
  }

  /**
   * Gives the value to an idle actor, or lets it wait for one. Its result is read by next() or nextUnordered().
   * @throws {PalimpsestError} PENDING_CALLS_LIMIT when 10,000 results have not been read
   */
  submit<Value>(work: PoolWork<Actor, Value, Result>, value: Value): void {
    this.#results.expectRoom();
    this.#results.add(this.#members.run((actor) => work(actor, value)));
  }

  /** Whether something was submitted whose result nobody has asked for. */
  hasNext(): boolean {
    return this.#results.left > 0;
  }

  /** The result of what was submitted first. @throws {PalimpsestError} NOT_FOUND when there is none; its own error */
  next(): Promise<Result> {
    return this.#results.next();
  }

  /** The result that came first. @throws {PalimpsestError} NOT_FOUND when there is none; its own error */
  nextUnordered(): Promise<Result> {
    return this.#results.nextUnordered();
  }

  /** Adds an actor. @throws {PalimpsestError} ALREADY_EXISTS when it is in the pool */
  push(actor: ActorHandle<Actor>): void {
    this.#members.add(actor);
  }

  /** Takes an idle actor out of the pool; undefined when all work. */
  popIdle(): ActorHandle<Actor> | undefined {
    return this.#members.takeIdle();
  }

  /** Whether an actor is idle. */
  hasFree(): boolean {
    return this.#members.idleCount > 0;
  }
}
