/**
 * Responsibility: assigns the actors of a pool to its work.
 * Not responsible for: results and their order (pool-results.ts, pool-map.ts).
 *
 * Invariants:
 * - ACTORPOOL-1. An actor works on at most one item of the pool at a time.
 * - ACTORPOOL-2. Work waits only while no actor is idle, and starts in the order of its arrival.
 * - ACTORPOOL-3. An actor becomes idle again when its work has ended, also after a failure, unless the failure is the
 *   actor's own death.
 * - ACTORPOOL-4. When the last actor has died, all waiting work is rejected, and so is new work until another actor
 *   is pushed. A pool whose actors were popped waits.
 */
import { shownValue } from "@palimpsest/std/input";
import { type ErrorCode, PalimpsestError } from "@palimpsest/wire";
import type { ActorHandle } from "../actors/actor-handle.js";
import { refused } from "../base/fields.js";

interface Waiting<Actor> {
  /** False if the request only needed to know that an actor is idle. */
  start(actor: ActorHandle<Actor>): boolean;
  fail(error: PalimpsestError): void;
}

export class PoolMembers<Actor> {
  /** Ids of the idle and busy actors. */
  readonly #ids = new Set<string>();
  readonly #idle: ActorHandle<Actor>[] = [];
  readonly #waiting: Waiting<Actor>[] = [];
  /** Why no actor is left; undefined otherwise. */
  #extinct: PalimpsestError | undefined;

  /** The number of idle and busy actors. */
  get size(): number {
    return this.#ids.size;
  }

  get idleCount(): number {
    return this.#idle.length;
  }

  /** @throws {PalimpsestError} ALREADY_EXISTS if the actor is in the pool */
  add(actor: ActorHandle<Actor>): void {
    if (typeof actor?.actorId !== "string")
      throw refused(
        "an actor of an ActorPool",
        `is ${shownValue(actor)}: give handles, such as those of spawn()`,
      );
    const { actorId } = actor;
    if (this.#ids.has(actorId)) {
      throw new PalimpsestError(
        "ALREADY_EXISTS",
        `actor ${actorId} is in the pool already: push an actor that was popped, or another one`,
        { details: { actorId } },
      );
    }
    this.#ids.add(actorId);
    this.#extinct = undefined;
    this.#free(actor);
  }

  /** Removes an idle actor from the pool and returns it. */
  takeIdle(): ActorHandle<Actor> | undefined {
    const actor = this.#idle.shift();
    if (actor) this.#ids.delete(actor.actorId);
    return actor;
  }

  /** Runs the work on the next idle actor, at once if there is one. */
  run<Result>(work: (actor: ActorHandle<Actor>) => Result | PromiseLike<Result>): Promise<Result> {
    const actor = this.#idle.shift();
    if (actor) return this.#lend(actor, work);
    if (this.#extinct) return Promise.reject(this.#extinct);
    return new Promise((resolve, reject) => {
      const start = (free: ActorHandle<Actor>) => {
        resolve(this.#lend(free, work));
        return true;
      };
      this.#waiting.push({ start, fail: reject });
    });
  }

  /** Resolves when an actor is idle and no earlier work waits, or when no actor is left. */
  whenIdle(): Promise<void> {
    if (this.#idle.length > 0 || this.#extinct) return Promise.resolve();
    return new Promise((resolve) => {
      const start = () => {
        resolve();
        return false;
      };
      this.#waiting.push({ start, fail: () => resolve() });
    });
  }

  async #lend<Result>(
    actor: ActorHandle<Actor>,
    work: (actor: ActorHandle<Actor>) => Result | PromiseLike<Result>,
  ): Promise<Result> {
    let death: PalimpsestError | undefined;
    try {
      return await work(actor);
    } catch (reason) {
      death = deathOf(actor.actorId, reason);
      throw reason;
    } finally {
      if (death) this.#lose(actor.actorId, death);
      else this.#free(actor);
    }
  }

  #free(actor: ActorHandle<Actor>): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) if (next.start(actor)) return;
    this.#idle.push(actor);
  }

  #lose(actorId: string, death: PalimpsestError): void {
    this.#ids.delete(actorId);
    if (this.#ids.size > 0) return;
    const error = new PalimpsestError(
      "ACTOR_DIED",
      `the pool has no actors left, the last one was ${actorId}: push another one`,
      { details: { actorId }, cause: death },
    );
    this.#extinct = error;
    for (const waiting of this.#waiting.splice(0)) waiting.fail(error);
  }
}

const deaths: ReadonlySet<ErrorCode> = new Set(["ACTOR_DIED", "ENVIRONMENT_FAILED", "IMPORT_FAILED"]);

/**
 * Returns whether the error, or one of its causes, is the death of this actor. Another actor's death is an ordinary
 * error.
 */
function deathOf(actorId: string, reason: unknown): PalimpsestError | undefined {
  const seen = new Set<unknown>();
  for (let cause = reason; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    if (!(cause instanceof PalimpsestError) || !deaths.has(cause.code)) continue;
    if (cause.details["actorId"] === actorId) return cause;
  }
  return undefined;
}
