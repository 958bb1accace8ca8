/**
 * Responsibility: stops actors and task workers that allow it, so that requests that go before them and have waited
 * long find room.
 * Not responsible for: which of them (the scheduler package), how they end and come back (the actor lifecycle), or
 * placement groups, which wait for room.
 *
 * Invariants:
 * - PREEMPT-3. Only what says that it is preemptible is stopped, and only what has run for `preemptAfterMs`, so that it
 *   gets on however often it is stopped.
 * - PREEMPT-4. It is stopped only for the request whose turn it is, when that has waited for `preemptAfterMs`, no node
 *   has room for it and no limit keeps it.
 * - PREEMPT-5. The node is reserved for the request while it waits, so that what was stopped does not come back first.
 */
import {
  choosePreemption,
  type Ledger,
  noClaim,
  type PlacementIndex,
  type PlacementRequest,
  type Yielding,
} from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import type { Actor } from "../tables/actor.js";
import { leaseOf } from "../tables/actor-lease.js";
import type { ActorTable } from "../tables/actor-table.js";
import type { ClusterEvents } from "../tables/history/cluster-events.js";
import type { NodeTable } from "../tables/node-table.js";
import type { ActorLifecycle } from "./actors/actor-lifecycle.js";
import type { Claims } from "./claims.js";
import type { PendingQueue } from "./placement.js";

export interface PreemptionsDeps {
  readonly index: PlacementIndex;
  readonly pendingQueue: PendingQueue;
  readonly ledger: Ledger;
  readonly claims: Claims;
  readonly actors: ActorTable;
  readonly nodes: NodeTable;
  readonly lifecycle: Pick<ActorLifecycle, "preempt">;
  readonly events: ClusterEvents;
  readonly counts: { add(fairnessKey: string, cause: "priority" | "share"): void };
  readonly clock: Clock;
  readonly preemptAfterMs: number;
}

interface Victim extends Yielding {
  readonly actor: Actor;
}

export class Preemptions {
  readonly #deps: PreemptionsDeps;
  /** When each preemptible actor's process became ALIVE, by the monotonic clock. */
  readonly #aliveSinceMs = new Map<string, number>();
  /** The victims that still lease, by the key of the request that they were stopped for. */
  readonly #outstanding = new Map<string, readonly Victim[]>();

  constructor(deps: PreemptionsDeps) {
    this.#deps = deps;
    deps.actors.onChange((actor) => this.#noted(actor));
  }

  /** Takes over the actors of an earlier head, once the tables are loaded: they have just begun, as far as is known. */
  recover(): void {
    for (const actor of this.#deps.actors.all()) this.#noted(actor);
  }

  /** Stops what has to make room. It must be called about once per second. */
  tick(): void {
    const { clock, index, preemptAfterMs, nodes, pendingQueue } = this.#deps;
    for (const [key, victims] of this.#outstanding) {
      const left = victims.filter(({ nodeId, name }) => nodes.leasesOn(nodeId).has(name));
      if (left.length === 0 || !pendingQueue.has(key)) this.#outstanding.delete(key);
      else this.#outstanding.set(key, left);
    }
    if (this.#aliveSinceMs.size === 0) return;
    const beforeMs = clock.monotonicMs() - preemptAfterMs;
    let candidates: readonly Victim[] | undefined;
    for (const { key, request } of index.starved(beforeMs)) {
      if (this.#outstanding.has(key)) continue;
      candidates ??= this.#yielding(beforeMs);
      const taken = new Set([...this.#outstanding.values()].flat().map(({ name }) => name));
      const free = candidates.filter(({ name }) => !taken.has(name));
      const choice = choosePreemption(index.reservable(request), free, request, this.#deps.ledger.shares);
      if (choice !== undefined)
        this.#preempt(key, request, choice.nodeId, choice.victims as readonly Victim[]);
    }
  }

  #noted({ spec, state }: Actor): void {
    if (state !== "ALIVE") this.#aliveSinceMs.delete(spec.actorId);
    else if (spec.preemptible && !this.#aliveSinceMs.has(spec.actorId))
      this.#aliveSinceMs.set(spec.actorId, this.#deps.clock.monotonicMs());
  }

  /** PREEMPT-3 */
  #yielding(beforeMs: number): Victim[] {
    const { actors, nodes, claims } = this.#deps;
    const victims: Victim[] = [];
    for (const [actorId, sinceMs] of this.#aliveSinceMs) {
      const actor = actors.get(actorId);
      if (actor === undefined || sinceMs > beforeMs) continue;
      const name = leaseOf(actorId, actor.incarnation);
      const lease = nodes.leasesOn(actor.nodeId).get(name);
      // The resources of an actor in a bundle are the group's.
      if (lease === undefined || lease.within !== "") continue;
      const { quantities, gpuIds } = lease;
      const claim = claims.of(actor.spec);
      victims.push({ actor, name, nodeId: actor.nodeId, claim, quantities, gpuIds, sinceMs });
    }
    return victims;
  }

  #preempt(
    key: string,
    { claim = noClaim, ...request }: PlacementRequest,
    nodeId: string,
    victims: readonly Victim[],
  ): void {
    const { index, pendingQueue, lifecycle, events, counts, preemptAfterMs } = this.#deps;
    const who = `${key} of priority ${claim.priority}${claim.fairnessKey && `, share ${claim.fairnessKey}`}`;
    const reason = `preempted for ${who}, which waited more than ${preemptAfterMs / 1000} s`;
    // PREEMPT-5
    index.reserveOn(nodeId, { ...request, claim });
    const stopped = victims.filter(({ actor: { spec, incarnation }, claim: own }) => {
      if (!lifecycle.preempt(spec.actorId, reason)) return false;
      counts.add(own.fairnessKey, own.priority < claim.priority ? "priority" : "share");
      const message = `${spec.role}: incarnation ${incarnation} is stopped, ${reason}`;
      events.add("actor preempted", spec.actorId, { nodeId, jobId: spec.jobId, message });
      return true;
    });
    this.#outstanding.set(key, stopped);
    pendingQueue.note(
      key,
      `${stopped.map(({ actor }) => actor.spec.actorId).join(", ")} on ${nodeId} stops for it`,
    );
  }
}
