/**
 * Responsibility: the grace period after a head's start in which nodes may still report actors that its tables have
 * lost, for example after FLUSHALL or a failover to a lagging replica. Lookups of unknown actors wait during that
 * time.
 * Not responsible for: adopting what nodes report (actor-returns.ts), or the timeout of nodes (node-table.ts).
 *
 * Invariants:
 * - RECOVERY-1. No actor is reported as unknown within graceMs of the start of a head that may know less than its
 *   nodes.
 * - RECOVERY-2. A head whose nodes had all left, one without a past, and one whose store has lost nothing since an
 *   earlier head marked it as complete (REDIS-7), does not wait.
 * - RECOVERY-3. Within graceMs no name is given to another actor, because a node may still report the actor that has
 *   it.
 */
import { type Clock, Waiters } from "@palimpsest/std";
import { type Actor, fullNameOf } from "../tables/actor.js";
import type { ActorTable } from "../tables/actor-table.js";

export interface RecoveryDeps {
  readonly actors: ActorTable;
  readonly clock: Clock;
  readonly graceMs: number;
}

/** Names an actor by its id or by its full name. */
export interface ActorKey {
  readonly actorId?: string;
  readonly name?: string;
}

export class Recovery {
  readonly #deps: RecoveryDeps;
  readonly #waiting: Waiters<string>;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
    this.#waiting = new Waiters(deps.clock);
    deps.actors.onChange(({ spec }, before) => {
      if (before !== undefined) return;
      this.#waiting.wake(idKey(spec.actorId));
      if (spec.name !== "") this.#waiting.wake(nameKey(fullNameOf(spec)));
    });
  }

  /** Begins the grace period, because this head may know less than its nodes. */
  begin(): void {
    this.#untilMs = this.#deps.clock.monotonicMs() + this.#deps.graceMs;
  }

  /** The milliseconds that are left of the grace period; 0 if there is none. */
  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.#deps.clock.monotonicMs());
  }

  /** Looks an actor up, and waits while a node may still report it. Resolves with undefined when there is none. */
  async find(key: ActorKey, caller: { readonly signal: AbortSignal }): Promise<Actor | undefined> {
    for (;;) {
      const found = this.#look(key);
      const { leftMs } = this;
      if (found !== undefined || leftMs === 0 || caller.signal.aborted) return found;
      const awaited = key.actorId ? idKey(key.actorId) : nameKey(key.name ?? "");
      await this.#waiting.wait(leftMs, caller.signal, awaited);
    }
  }

  /** Ends all waits because the head ends. */
  close(): void {
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#waiting.wakeAll();
  }

  #look({ actorId, name }: ActorKey): Actor | undefined {
    return actorId ? this.#deps.actors.get(actorId) : this.#deps.actors.byName(name ?? "");
  }
}

function idKey(actorId: string): string {
  return `id/${actorId}`;
}

function nameKey(name: string): string {
  return `name/${name}`;
}
