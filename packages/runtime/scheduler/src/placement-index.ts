/**
 * Responsibility: keeps the pending requests by shape, and for each shape the nodes that can take it, so that the cost
 * of an event depends on what it changes and not on the number of requests times the number of nodes.
 * Not responsible for: leases. The caller leases what `next` chose and passes the node's new view before it calls
 * again.
 *
 * Invariants:
 * - INDEX-1. `next` chooses what `place` would choose for the same request among the nodes that are not reserved for
 *   another shape (PLACE-1, PLACE-2, PLACE-3).
 * - INDEX-2. Of the requests that can be placed and that no limit blocks, `next` returns the one with the highest
 *   priority, among these one of the fairness key that uses least by its weight, among these the oldest. Requests of
 *   one shape and claim keep their order.
 * - INDEX-3. A node that changed is examined again for the shapes that could ever run there, and for no others.
 * - INDEX-4. A request that some node could hold and that has waited long enough gets a node reserved, which no other
 *   shape may use, so that small requests cannot starve it. At most one node in ten is reserved, but always at least
 *   one, for the highest priority first and then for the oldest requests, and for none that a limit blocks. A node on
 *   which leases end for a request is reserved beyond that.
 * - INDEX-5. Requests that a limit blocks are examined again when something that counts against it is given back, and
 *   cost nothing until then.
 */
import { claimKeyOf, noClaim } from "./claim.js";
import { compareDistance, explain } from "./explanation.js";
import { IndexedHeap } from "./indexed-heap.js";
import type { Ledger, Limit } from "./ledger.js";
import { candidateOf, type NodeView, type PlacementRequest } from "./placement.js";
import { keyOf, type Shape, ShapeTable } from "./shape-table.js";
import { compareTurns, type Line, type Turn, type Waiter } from "./turns.js";

/** At most one node in this many may be reserved. */
const nodesPerReservation = 10;
/** Number of explanations that are cached until a node changes. */
const maxExplanations = 64;

/** How many requests wait for the same shape, and why. */
export interface WaitingShape {
  readonly request: PlacementRequest;
  readonly count: number;
  /** How many of them a quota or scope blocks, which no further node would help. */
  readonly limited: number;
  readonly oldestSinceMs: number;
  readonly feasible: boolean;
}

export class PlacementIndex {
  readonly #shapes = new ShapeTable();
  readonly #ledger: Ledger | undefined;
  #onWoken: () => void = () => undefined;
  readonly #places = new Map<string, { readonly shape: Shape; readonly line: Line }>();
  /** The shapes in which requests of a fairness key wait, each with the number of their lines. */
  readonly #shapesOfKey = new Map<string, Map<Shape, number>>();
  /** Shapes that have waiting requests and may find room, in the order of whose turn it is. */
  readonly #ready = new IndexedHeap<{ readonly shape: Shape } & Turn>(({ shape }) => shape.key, compareTurns);
  readonly #reservedFor = new Map<string, Shape>();
  /** Explanations that were made since a node last changed. */
  readonly #explanations = new Map<string, string>();
  #orders = 0;
  #looks = 0;

  /** @param ledger the limits and shares of claims. Without it claims decide by their priority alone */
  constructor(ledger?: Ledger) {
    this.#ledger = ledger;
  }

  /** Registers what is called when requests may be placed because a limit has room again. */
  onWoken(listener: () => void): void {
    this.#onWoken = listener;
  }

  /** Number of waiting requests. */
  get size(): number {
    return this.#places.size;
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
    const { claim = noClaim } = request;
    const shape = this.#shapes.shapeOf(request);
    const line = this.#lineOf(shape, claim);
    const known = this.#places.get(key);
    if (known?.line === line) return;
    if (known !== undefined) this.delete(key);
    this.#orders += 1;
    line.waiting.set(key, { order: this.#orders, sinceMs });
    this.#places.set(key, { shape, line });
    this.#shapes.inUse(shape);
    if (line.waiting.size > 1) return;
    shape.lines.set(line.key, line);
    this.#keyWaits(shape, claim.fairnessKey, 1);
    this.#ledger?.shares.weigh(claim.fairnessKey, claim.weight);
    shape.turns.set(line, this.#scoreOf(claim.fairnessKey));
    this.#makeReady(shape);
  }

  delete(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    const { shape, line } = place;
    this.#places.delete(key);
    line.waiting.delete(key);
    if (line.waiting.size === 0) this.#lineEnded(shape, line);
    else if (line.parked === undefined) shape.turns.set(line, this.#scoreOf(line.claim.fairnessKey));
    this.#turnChanged(shape);
  }

  /**
   * Removes the request whose turn it is and for which there is room from the queue and returns it with its node. The
   * caller leases the node, counts the lease in the ledger, and passes the remaining view to `setNode` before it calls
   * this again.
   */
  next(): { readonly key: string; readonly nodeId: string } | undefined {
    for (;;) {
      const shape = this.#ready.top()?.shape;
      if (shape === undefined) return undefined;
      this.#refresh(shape);
      const nodeId = shape.candidates.top()?.nodeId;
      const line = shape.turns.top()?.line;
      const [key] = line?.waiting.keys() ?? [];
      if (nodeId === undefined || line === undefined || key === undefined) {
        this.#ready.delete(shape.key);
        continue;
      }
      const limit = this.#ledger?.blocking(line.claim, shape.request.resources);
      if (limit !== undefined) {
        this.#park(shape, line, limit);
        continue;
      }
      this.#unreserve(shape);
      this.delete(key);
      return { key, nodeId };
    }
  }

  /** Takes a fairness key's new score over. */
  rescore(fairnessKey: string): void {
    const shapes = this.#shapesOfKey.get(fairnessKey);
    if (shapes === undefined) return;
    const score = this.#scoreOf(fairnessKey);
    for (const shape of shapes.keys()) {
      shape.turns.rescore(fairnessKey, score);
      this.#turnChanged(shape);
    }
  }

  /** Reserves nodes for requests that have waited since before `beforeMs` and that some node could hold (INDEX-4). */
  reserve(beforeMs: number): void {
    const limit = Math.max(1, Math.floor(this.nodeCount / nodesPerReservation));
    if (this.#reservedFor.size >= limit) return;
    const starving: ({ readonly shape: Shape } & Turn)[] = [];
    for (const shape of this.#shapes.shapes()) {
      if (shape.lines.size === 0 || shape.reservedNodeId !== undefined) continue;
      const turn = this.#starving(shape, beforeMs);
      if (turn !== undefined && this.#shapes.isFeasible(shape)) starving.push({ shape, ...turn });
    }
    starving.sort(compareTurns);
    for (const { shape } of starving.slice(0, limit - this.#reservedFor.size)) this.#reserveFor(shape);
  }

  /**
   * Returns the requests whose turn it is, that have waited since before `beforeMs` and that no node has room for, at
   * most one of each shape, in the order of their turns.
   */
  starved(beforeMs: number): readonly { readonly key: string; readonly request: PlacementRequest }[] {
    const starved: ({ readonly shape: Shape; readonly line: Line; readonly key: string } & Turn)[] = [];
    for (const shape of this.#shapes.shapes()) {
      const turn = shape.turns.top();
      const [first] = turn?.line.waiting ?? [];
      if (turn === undefined || first === undefined || first[1].sinceMs > beforeMs) continue;
      this.#refresh(shape);
      const { line } = turn;
      const isKept =
        shape.candidates.top() !== undefined ||
        this.#ledger?.blocking(line.claim, shape.request.resources) !== undefined;
      if (!isKept && this.#shapes.isFeasible(shape)) starved.push({ shape, key: first[0], ...turn });
    }
    return starved
      .sort(compareTurns)
      .map(({ shape, line, key }) => ({ key, request: { ...shape.request, claim: line.claim } }));
  }

  /** Reserves the node for the shape of a request that waits, in the place of another one (INDEX-4). */
  reserveOn(nodeId: string, request: PlacementRequest): void {
    const shape = this.#shapes.shapeOf(request);
    if (this.#reservedFor.get(nodeId) === shape) return;
    this.#unreserve(shape);
    this.#unreserve(this.#reservedFor.get(nodeId));
    shape.reservedNodeId = nodeId;
    this.#reservedFor.set(nodeId, shape);
    this.#touch(nodeId, false);
  }

  /** Yields the nodes but those that are reserved for requests that go before this one or are its equals. */
  *reservable(request: PlacementRequest): Generator<NodeView> {
    const shape = this.#shapes.shapeOf(request);
    for (const view of this.#shapes.views()) {
      const other = this.#reservedFor.get(view.nodeId);
      const priority = other?.turns.top()?.priority ?? Number.NEGATIVE_INFINITY;
      if (other === undefined || other === shape || priority < (request.claim ?? noClaim).priority)
        yield view;
    }
  }

  /**
   * Returns one sentence on why a request of this shape waits. It examines every node, so it is meant for people who
   * ask.
   */
  explain(request: PlacementRequest): string {
    const { claim = noClaim, resources } = request;
    const limit = this.#ledger?.blocking(claim, resources);
    if (limit !== undefined) return limit.reason;
    const key = keyOf(request);
    let reason = this.#explanations.get(key);
    if (reason === undefined) {
      reason = explain(this.#shapes.views(), request);
      if (this.#explanations.size >= maxExplanations) this.#explanations.clear();
      this.#explanations.set(key, reason);
    }
    const { fairnessKey } = claim;
    if (fairnessKey === "" || this.#ledger === undefined || this.#shapesOfKey.size < 2) return reason;
    const { leased, weight } = this.#ledger.shares.of(fairnessKey);
    return `${reason}; share ${fairnessKey}: leases ${Math.round(100 * leased)} % of the cluster at weight ${weight}`;
  }

  /** Returns how many requests wait, by fairness key. */
  waitingByKey(): Map<string, number> {
    const waiting = new Map<string, number>();
    for (const [fairnessKey, shapes] of this.#shapesOfKey)
      for (const shape of shapes.keys())
        for (const line of shape.lines.values())
          if (line.claim.fairnessKey === fairnessKey)
            waiting.set(fairnessKey, (waiting.get(fairnessKey) ?? 0) + line.waiting.size);
    return waiting;
  }

  /** Returns the waiting shapes, those with the most requests first. */
  waitingShapes(): WaitingShape[] {
    const shapes: WaitingShape[] = [];
    for (const shape of this.#shapes.shapes()) {
      if (shape.lines.size === 0) continue;
      let [count, limited, oldestSinceMs] = [0, 0, Number.POSITIVE_INFINITY];
      for (const line of shape.lines.values()) {
        count += line.waiting.size;
        if (line.parked !== undefined) limited += line.waiting.size;
        oldestSinceMs = Math.min(oldestSinceMs, oldestOf(line)?.sinceMs ?? oldestSinceMs);
      }
      const { request } = shape;
      shapes.push({ request, count, limited, oldestSinceMs, feasible: this.#shapes.isFeasible(shape) });
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
    const turn = shape.turns.top();
    if (turn === undefined) return;
    const { priority, score, order } = turn;
    this.#ready.set({ shape, priority, score, order });
  }

  /** Handles that another line may be on top. */
  #turnChanged(shape: Shape): void {
    // A shape that is not ready stays so, because its candidates are the same whichever request is first.
    if (this.#ready.has(shape.key)) this.#makeReady(shape);
    if (shape.turns.top() !== undefined) return;
    this.#ready.delete(shape.key);
    this.#unreserve(shape);
    if (shape.lines.size === 0) this.#shapes.unused(shape);
  }

  #lineOf(shape: Shape, claim: Line["claim"]): Line {
    const key = claim === noClaim ? "" : claimKeyOf(claim);
    return shape.lines.get(key) ?? { key, claim, waiting: new Map(), parked: undefined };
  }

  #lineEnded(shape: Shape, line: Line): void {
    const { fairnessKey } = line.claim;
    if (line.parked === undefined) shape.turns.delete(line);
    else this.#ledger?.unpark(line.parked.limit, line.parked.wake);
    line.parked = undefined;
    shape.lines.delete(line.key);
    this.#keyWaits(shape, fairnessKey, -1);
    if (!this.#shapesOfKey.has(fairnessKey)) this.#ledger?.shares.unused(fairnessKey);
  }

  /** INDEX-5 */
  #park(shape: Shape, line: Line, { name: limit }: Limit): void {
    const wake = () => {
      line.parked = undefined;
      shape.turns.set(line, this.#scoreOf(line.claim.fairnessKey));
      this.#makeReady(shape);
      this.#onWoken();
    };
    line.parked = { limit, wake };
    this.#ledger?.park(limit, wake);
    shape.turns.delete(line);
    this.#turnChanged(shape);
  }

  /** Returns a key's score. Of a single key the order of its requests alone decides. */
  #scoreOf(fairnessKey: string): number {
    return this.#shapesOfKey.size < 2 ? 0 : (this.#ledger?.shares.score(fairnessKey) ?? 0);
  }

  /** Counts a key's lines in a shape. */
  #keyWaits(shape: Shape, fairnessKey: string, change: 1 | -1): void {
    const before = this.#shapesOfKey.size;
    const shapes = this.#shapesOfKey.get(fairnessKey) ?? new Map<Shape, number>();
    const count = (shapes.get(shape) ?? 0) + change;
    if (count > 0) shapes.set(shape, count);
    else shapes.delete(shape);
    if (shapes.size > 0) this.#shapesOfKey.set(fairnessKey, shapes);
    else this.#shapesOfKey.delete(fairnessKey);
    const after = this.#shapesOfKey.size;
    if (before !== after && Math.max(before, after) === 2)
      for (const other of this.#shapesOfKey.keys()) this.rescore(other);
  }

  /** Returns the turn of the shape's oldest request that waits for a node since before the time, if there is one. */
  #starving(shape: Shape, beforeMs: number): Turn | undefined {
    let first: Turn | undefined;
    for (const { claim, parked, waiting } of shape.lines.values()) {
      const [oldest] = waiting.values();
      if (parked !== undefined || oldest === undefined || oldest.sinceMs > beforeMs) continue;
      if (this.#ledger?.blocking(claim, shape.request.resources) !== undefined) continue;
      const turn = { priority: claim.priority, score: 0, order: oldest.order };
      if (first === undefined || compareTurns(turn, first) < 0) first = turn;
    }
    return first;
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

function oldestOf({ waiting }: Line): Waiter | undefined {
  const [oldest] = waiting.values();
  return oldest;
}
