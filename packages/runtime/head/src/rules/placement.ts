/**
 * Responsibility: the queue of actors and drivers that wait for a node, and the passes that place them.
 * Not responsible for: choosing among nodes (the scheduler package does), or starting processes.
 *
 * Invariants:
 * - PLACEMENT-1. A placed request has its lease before the next request is placed, so that no node is overcommitted.
 * - PLACEMENT-2. Pending requests are tried again, in the order of INDEX-2, after each change that may have made room
 *   for them, on a node or below a limit.
 * - PLACEMENT-3. No pass blocks the event loop for longer than sliceMs plus one placement; a later turn continues it.
 * - PLACEMENT-4. Requests are not told why they wait; the reason is computed only when somebody asks.
 */
import { type Ledger, PlacementIndex, type PlacementRequest, type WaitingShape } from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import type { Node } from "../tables/node.js";
import type { NodeChange } from "../tables/node-table.js";
import { Demand } from "./demand.js";

const sliceMs = 8;

export interface PendingRequest {
  /** The lease that is taken on the chosen node. */
  readonly leaseId: string;
  readonly request: PlacementRequest;
  /** The session or actor that made the request; empty for a job. */
  readonly ownerId?: string;
  onPlaced(nodeId: string): void;
}

/** The places that requests are placed on: nodes, or the bundles of a placement group. */
export interface Places {
  /** Calls back with a place's available resources after each change; undefined when the place is gone. */
  onChange(listener: NodeChange): void;
  reserve(placeId: string, leaseId: string, resources: PlacementRequest["resources"]): unknown;
  /** Returns the nodes of the cluster. */
  all(): readonly Node[];
}

export interface PendingQueueDeps {
  readonly nodes: Places;
  readonly clock: Clock;
  /** The milliseconds after which a request that some node could satisfy gets a node reserved. */
  readonly reserveAfterMs: number;
  /** The queue's own index and demand, where others read them too. */
  readonly index?: PlacementIndex;
  /** The limits of claims, where the queue has an index of its own. */
  readonly ledger?: Ledger;
  readonly demand?: Demand;
}

export class PendingQueue {
  readonly #deps: PendingQueueDeps;
  readonly #index: PlacementIndex;
  readonly #pending = new Map<string, PendingRequest>();
  /** What is being done for requests, for their reasons. */
  readonly #notes = new Map<string, string>();
  /** The same requests as demand, which is how a client that keeps leased workers sees them. */
  readonly demand: Demand;
  #scheduled = false;

  constructor(deps: PendingQueueDeps) {
    this.#deps = deps;
    this.#index = deps.index ?? new PlacementIndex(deps.ledger);
    this.#index.onWoken(() => this.#schedule());
    this.demand = deps.demand ?? new Demand(deps);
    deps.nodes.onChange((nodeId, view) => {
      if (view === undefined) this.#index.removeNode(nodeId);
      else this.#index.setNode(view);
      if (this.#index.size > 0) this.#schedule();
    });
  }

  get length(): number {
    return this.#index.size;
  }

  /** The number of nodes that are reserved for requests that have waited long. */
  get reservedNodes(): number {
    return this.#index.reservations().size;
  }

  /** The number of times that a node was examined for a shape of request. */
  get looks(): number {
    return this.#index.looks;
  }

  /** Enqueues a request under a key. A request with the same key is replaced, and the new one keeps its position. */
  enqueue(key: string, pending: PendingRequest): void {
    this.#pending.set(key, pending);
    this.demand.add(key, pending.ownerId ?? "", pending.request);
    this.#index.add(key, pending.request, this.#deps.clock.monotonicMs());
    this.#schedule();
  }

  remove(key: string): void {
    if (!this.#pending.delete(key)) return;
    this.#notes.delete(key);
    this.demand.delete(key);
    this.#index.delete(key);
    // A node that was reserved for this request is available to the others again.
    this.#schedule();
  }

  /** Reserves nodes for requests that have waited too long. It must be called about once per second. */
  tick(): void {
    if (this.#index.size === 0) return;
    this.#index.reserve(this.#deps.clock.monotonicMs() - this.#deps.reserveAfterMs);
    this.#schedule();
  }

  /** Returns why this request is pending, in one sentence; empty when it is not. Every node is examined. */
  reason(key: string): string {
    const pending = this.#pending.get(key);
    if (pending === undefined) return "";
    const note = this.#notes.get(key);
    return [this.#index.explain(pending.request), ...(note === undefined ? [] : [note])].join("; ");
  }

  has(key: string): boolean {
    return this.#pending.has(key);
  }

  /** Adds to the reason of a request what is being done for it. */
  note(key: string, note: string): void {
    if (this.#pending.has(key)) this.#notes.set(key, note);
  }

  /** Returns why a request would be pending, as reason() does, even if it is not in the queue. */
  explain(request: PlacementRequest): string {
    return this.#index.explain(request);
  }

  /** Returns the pending requests by shape, the most frequent shape first. Times are on the monotonic clock. */
  waitingShapes(): readonly WaitingShape[] {
    return this.#index.waitingShapes();
  }

  /** Schedules one pass per turn of the event loop, however many changes that turn made. */
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
      this.#notes.delete(key);
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
