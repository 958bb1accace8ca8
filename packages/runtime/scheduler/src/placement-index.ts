/**
 * Responsibility: keeps the pending requests by shape, and for each shape the nodes that can take it, so that the cost
 * of an event depends on what it changes and not on the number of requests times the number of nodes.
 * Not responsible for: leases. The caller leases what `next` chose and passes the node's new view before it calls
 * again.
 *
 * Invariants:
 * - INDEX-1. `next` chooses what `place` would choose for the same request among the nodes that are not reserved for
 *   another shape (PLACE-1, PLACE-2, PLACE-3).
 * - INDEX-2. Of the requests that can be placed, `next` returns the oldest. Requests of one shape keep their order.
 * - INDEX-3. A node that changed is examined again for the shapes that could ever run there, and for no others.
 * - INDEX-4. A request that some node could hold and that has waited long enough gets a node reserved, which no other
 *   shape may use, so that small requests cannot starve it. At most one node in ten is reserved, but always at least
 *   one, for the oldest requests first.
 */
import { compareDistance, explain } from "./explanation.js";
import { IndexedHeap } from "./indexed-heap.js";
import { candidateOf, type NodeView, type PlacementRequest } from "./placement.js";
import { keyOf, type Shape, ShapeTable } from "./shape-table.js";

/** At most one node in this many may be reserved. */
const nodesPerReservation = 10;
/** Number of explanations that are cached until a node changes. */
const maxExplanations = 64;

/** How many requests wait for the same shape, and why. */
export interface WaitingShape {
  readonly request: PlacementRequest;
  readonly count: number;
  readonly oldestSinceMs: number;
  readonly feasible: boolean;
}

export class PlacementIndex {
  readonly #shapes = new ShapeTable();
  readonly #shapeOf = new Map<string, Shape>();
  /** Shapes that have waiting requests and may find room, in the order of their oldest requests. */
  readonly #ready = new IndexedHeap<{ readonly shape: Shape; readonly order: number }>(
    ({ shape }) => shape.key,
    (a, b) => a.order - b.order,
  );
  readonly #reservedFor = new Map<string, Shape>();
  /** Explanations that were made since a node last changed. */
  readonly #explanations = new Map<string, string>();
  #orders = 0;
  #looks = 0;

  /** Number of waiting requests. */
  get size(): number {
    return this.#shapeOf.size;
  }

  /** How often a node was examined for a shape, which is the measure of the index's work. */
  get looks(): number {
    return this.#looks;
  }

  get nodeCount(): number {
    return this.#shapes.nodeCount;
  }

  /** Returns the ids of reserved nodes, each with the request that it is reserved for. */
  reservations(): ReadonlyMap<string, PlacementRequest> {
    return new Map([...this.#reservedFor].map(([nodeId, shape]) => [nodeId, shape.request]));
  }

  isReserved(nodeId: string): boolean {
    return this.#reservedFor.has(nodeId);
  }

  /** Adds a node or updates its view. */
  setNode(view: NodeView): void {
    this.#explanations.clear();
    this.#touch(view.nodeId, this.#shapes.setNode(view));
  }

  removeNode(nodeId: string): void {
    if (!this.#shapes.removeNode(nodeId)) return;
    this.#explanations.clear();
    this.#unreserve(this.#reservedFor.get(nodeId));
  }

  /** Adds a request at the end. A request that already waits under this key keeps its position. */
  add(key: string, request: PlacementRequest, sinceMs: number): void {
    const shape = this.#shapes.shapeOf(request);
    const known = this.#shapeOf.get(key);
    if (known === shape) return;
    if (known !== undefined) this.delete(key);
    this.#orders += 1;
    shape.waiting.set(key, { order: this.#orders, sinceMs });
    this.#shapeOf.set(key, shape);
    this.#shapes.inUse(shape);
    this.#makeReady(shape);
  }

  delete(key: string): void {
    const shape = this.#shapeOf.get(key);
    if (shape === undefined) return;
    this.#shapeOf.delete(key);
    shape.waiting.delete(key);
    this.#headChanged(shape);
  }

  /**
   * Removes the oldest request for which there is room from the queue and returns it with its node. The caller leases
   * the node and passes the remaining view to `setNode` before it calls this again.
   */
  next(): { readonly key: string; readonly nodeId: string } | undefined {
    for (;;) {
      const shape = this.#ready.top()?.shape;
      if (shape === undefined) return undefined;
      this.#refresh(shape);
      const nodeId = shape.candidates.top()?.nodeId;
      const [key] = shape.waiting.keys();
      if (nodeId === undefined || key === undefined) {
        this.#ready.delete(shape.key);
        continue;
      }
      this.#unreserve(shape);
      this.delete(key);
      return { key, nodeId };
    }
  }

  /** Reserves nodes for requests that have waited since before `beforeMs` and that some node could hold (INDEX-4). */
  reserve(beforeMs: number): void {
    const limit = Math.max(1, Math.floor(this.nodeCount / nodesPerReservation));
    if (this.#reservedFor.size >= limit) return;
    const starving: { readonly shape: Shape; readonly order: number }[] = [];
    for (const shape of this.#shapes.shapes()) {
      const [oldest] = shape.waiting.values();
      if (oldest === undefined || oldest.sinceMs > beforeMs) continue;
      if (shape.reservedNodeId !== undefined || !this.#shapes.isFeasible(shape)) continue;
      starving.push({ shape, order: oldest.order });
    }
    starving.sort((a, b) => a.order - b.order);
    for (const { shape } of starving.slice(0, limit - this.#reservedFor.size)) this.#reserveFor(shape);
  }

  /**
   * Returns one sentence on why a request of this shape waits. It examines every node, so it is meant for people who
   * ask.
   */
  explain(request: PlacementRequest): string {
    const key = keyOf(request);
    let reason = this.#explanations.get(key);
    if (reason === undefined) {
      reason = explain(this.#shapes.views(), request);
      if (this.#explanations.size >= maxExplanations) this.#explanations.clear();
      this.#explanations.set(key, reason);
    }
    return reason;
  }

  /** Returns the waiting shapes, those with the most requests first. */
  waitingShapes(): WaitingShape[] {
    const shapes: WaitingShape[] = [];
    for (const shape of this.#shapes.shapes()) {
      const [oldest] = shape.waiting.values();
      if (oldest === undefined) continue;
      shapes.push({
        request: shape.request,
        count: shape.waiting.size,
        oldestSinceMs: oldest.sinceMs,
        feasible: this.#shapes.isFeasible(shape),
      });
    }
    return shapes.sort((a, b) => b.count - a.count || a.oldestSinceMs - b.oldestSinceMs);
  }

  /** Handles a change of the node or of who may use it. */
  #touch(nodeId: string, grew: boolean): void {
    for (const shape of this.#shapes.shapesOf(nodeId)) {
      shape.stale.add(nodeId);
      if (grew) this.#makeReady(shape);
    }
  }

  #makeReady(shape: Shape): void {
    const [oldest] = shape.waiting.values();
    if (oldest !== undefined) this.#ready.set({ shape, order: oldest.order });
  }

  #headChanged(shape: Shape): void {
    if (shape.waiting.size > 0) {
      // A shape that is not ready stays so, because its candidates are the same whichever request is first.
      if (this.#ready.has(shape.key)) this.#makeReady(shape);
      return;
    }
    this.#ready.delete(shape.key);
    this.#unreserve(shape);
    this.#shapes.unused(shape);
  }

  #refresh(shape: Shape): void {
    for (const nodeId of shape.stale) {
      this.#looks += 1;
      const view = this.#shapes.node(nodeId);
      const reservedFor = this.#reservedFor.get(nodeId);
      const usable =
        this.#shapes.couldRunOn(shape, nodeId) && (reservedFor === undefined || reservedFor === shape);
      const candidate = view && usable ? candidateOf(view, shape.request) : undefined;
      if (candidate) shape.candidates.set(candidate);
      else shape.candidates.delete(nodeId);
    }
    shape.stale.clear();
  }

  #reserveFor(shape: Shape): void {
    let nearest: NodeView | undefined;
    for (const view of this.#shapes.views()) {
      if (!this.#shapes.couldRunOn(shape, view.nodeId) || this.#reservedFor.has(view.nodeId)) continue;
      if (nearest === undefined || compareDistance(view, nearest, shape.request) < 0) nearest = view;
    }
    if (nearest === undefined) return;
    shape.reservedNodeId = nearest.nodeId;
    this.#reservedFor.set(nearest.nodeId, shape);
    this.#touch(nearest.nodeId, false);
  }

  #unreserve(shape: Shape | undefined): void {
    if (shape?.reservedNodeId === undefined) return;
    const nodeId = shape.reservedNodeId;
    shape.reservedNodeId = undefined;
    this.#reservedFor.delete(nodeId);
    this.#touch(nodeId, true);
  }
}
