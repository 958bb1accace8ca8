/**
 * Responsibility: the actors and drivers that wait for a node, and the turns in which they get one.
 * Not responsible for: choosing among nodes (the scheduler package), or starting anything.
 *
 * Invariants:
 * - PLACEMENT-1. What is placed has its lease before anything else is placed: no node is overcommitted.
 * - PLACEMENT-2. Whoever waits is tried, oldest first, after each change that may have made room for it.
 * - PLACEMENT-3. No pass holds the event loop longer than sliceMs and one placement: the rest goes on in a later turn.
 * - PLACEMENT-4. Nothing is said to whoever waits; why it waits is made when somebody asks.
 */
import { PlacementIndex, type PlacementRequest, type WaitingShape } from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/wire";
import { Demand } from "./demand.js";
import type { Node } from "./node.js";
import type { NodeChange } from "./node-table.js";

const sliceMs = 8;

export interface PendingRequest {
  /** Names the lease on the node that is found. */
  readonly leaseId: string;
  readonly request: PlacementRequest;
  /** Who wants it; empty: a job. */
  readonly ownerId?: string;
  onPlaced(nodeId: string): void;
}

/** Where requests can be placed: nodes, or the bundles of a placement group. */
export interface Places {
  /** Calls back with what can be used of a place after each change of it; undefined: nothing any more. */
  onChange(listener: NodeChange): void;
  reserve(placeId: string, leaseId: string, resources: PlacementRequest["resources"]): unknown;
  /** The nodes of the cluster. */
  all(): readonly Node[];
}

export interface PendingQueueDeps {
  readonly nodes: Places;
  readonly clock: Clock;
  /** A request that a node could hold gets one reserved when it has waited this long. */
  readonly reserveAfterMs: number;
}

export class PendingQueue {
  readonly #deps: PendingQueueDeps;
  readonly #index = new PlacementIndex();
  readonly #pending = new Map<string, PendingRequest>();
  /** The same, for those who could make room. */
  readonly demand: Demand;
  #scheduled = false;

  constructor(deps: PendingQueueDeps) {
    this.#deps = deps;
    this.demand = new Demand(deps);
    deps.nodes.onChange((nodeId, view) => {
      if (view === undefined) this.#index.removeNode(nodeId);
      else this.#index.setNode(view);
      if (this.#index.size > 0) this.#schedule();
    });
  }

  get length(): number {
    return this.#index.size;
  }

  /** Nodes that are kept for requests that have waited long. */
  get reservedNodes(): number {
    return this.#index.reservations().size;
  }

  isReserved(nodeId: string): boolean {
    return this.#index.isReserved(nodeId);
  }

  /** How often a node was looked at for a kind of request. */
  get looks(): number {
    return this.#index.looks;
  }

  /** Enqueues a request under a key; one of the same key is replaced and keeps its position. */
  enqueue(key: string, pending: PendingRequest): void {
    this.#pending.set(key, pending);
    this.demand.add(key, pending.ownerId ?? "", pending.request);
    this.#index.add(key, pending.request, this.#deps.clock.monotonicMs());
    this.#schedule();
  }

  remove(key: string): void {
    if (!this.#pending.delete(key)) return;
    this.demand.delete(key);
    this.#index.delete(key);
    // What was reserved for it is free for the others.
    this.#schedule();
  }

  /** Reserves nodes for what has waited too long. To be called about once per second. */
  tick(): void {
    if (this.#index.size === 0) return;
    this.#index.reserve(this.#deps.clock.monotonicMs() - this.#deps.reserveAfterMs);
    this.#schedule();
  }

  /** Why this request waits, in one sentence; empty when it does not. Looks at every node. */
  reason(key: string): string {
    const pending = this.#pending.get(key);
    return pending === undefined ? "" : this.#index.explain(pending.request);
  }

  /** The same for any request. */
  explain(request: PlacementRequest): string {
    return this.#index.explain(request);
  }

  /** What waits, the most frequent kind of request first. Times are those of the monotonic clock. */
  waitingShapes(): readonly WaitingShape[] {
    return this.#index.waitingShapes();
  }

  /** One pass a turn of the event loop, however many changes that turn made. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#pass());
  }

  #pass(): void {
    const { nodes, clock } = this.#deps;
    const endMs = clock.monotonicMs() + sliceMs;
    for (let choice = this.#index.next(); choice !== undefined; choice = this.#index.next()) {
      const { key, nodeId } = choice;
      const pending = this.#pending.get(key);
      this.#pending.delete(key);
      this.demand.delete(key);
      if (pending !== undefined) {
        nodes.reserve(nodeId, pending.leaseId, pending.request.resources);
        pending.onPlaced(nodeId);
      }
      if (clock.monotonicMs() < endMs) continue;
      clock.after(0, () => this.#pass());
      return;
    }
    this.#scheduled = false;
  }
}
