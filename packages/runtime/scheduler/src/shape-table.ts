/**
 * Responsibility: groups nodes by kind and requests by shape, and knows which shape could ever run on which node.
 * Not responsible for: the order of pending requests (placement-index.ts).
 *
 * Invariants:
 * - SHAPES-1. `shapesOf` a node returns exactly the shapes that the node could hold if it were empty. A shape that is
 *   bound to a node is returned for that node only.
 * - SHAPES-2. When a node is added, changes its kind or is removed, it becomes stale for every shape that could run on
 *   it before or after.
 */
import { IndexedHeap } from "./indexed-heap.js";
import {
  boundTo,
  type Candidate,
  compareCandidates,
  isFeasible,
  type NodeView,
  type PlacementRequest,
} from "./placement.js";
import { sortedEntries } from "./resources.js";
import { type Line, Turns } from "./turns.js";

/** Number of shapes without waiting requests that are kept, with their candidates, for the next such request. */
const maxIdleShapes = 64;

/** The requests that ask for the same things. */
export interface Shape {
  readonly key: string;
  /** What is asked for, without a claim. */
  readonly request: PlacementRequest;
  /** The waiting requests by claim. */
  readonly lines: Map<string, Line>;
  /** The lines that wait for a node, and not for a limit. */
  readonly turns: Turns;
  /** Nodes with room, the best first. Entries are accurate except for nodes in `stale`. */
  readonly candidates: IndexedHeap<Candidate>;
  /** Nodes that changed since `candidates` was last updated. */
  readonly stale: Set<string>;
  reservedNodeId: string | undefined;
}

/** Nodes that offer the same resources under the same labels, so that what is feasible on one is feasible on all. */
interface NodeKind {
  readonly key: string;
  readonly total: NodeView["total"];
  readonly labels: NodeView["labels"];
  readonly nodeIds: Set<string>;
  /** Shapes that nodes of this kind could hold and that are bound to no node. */
  readonly shapes: Set<Shape>;
}

interface KnownNode {
  readonly view: NodeView;
  readonly kind: NodeKind;
}

export class ShapeTable {
  readonly #nodes = new Map<string, KnownNode>();
  readonly #kinds = new Map<string, NodeKind>();
  readonly #shapes = new Map<string, Shape>();
  /** Shapes that are bound to a node, by the node's id. The node need not exist. */
  readonly #bound = new Map<string, Set<Shape>>();
  readonly #idle = new Set<Shape>();

  get nodeCount(): number {
    return this.#nodes.size;
  }

  node(nodeId: string): NodeView | undefined {
    return this.#nodes.get(nodeId)?.view;
  }

  *views(): Generator<NodeView> {
    for (const { view } of this.#nodes.values()) yield view;
  }

  shapes(): Iterable<Shape> {
    return this.#shapes.values();
  }

  /** Adds a node or updates its view. @returns whether the node may have more room than before */
  setNode(view: NodeView): boolean {
    const before = this.#nodes.get(view.nodeId);
    const sameKind = before?.view.total === view.total && before.view.labels === view.labels;
    const kind = before && sameKind ? before.kind : this.#kindOf(view);
    if (before && before.kind !== kind) this.#leaveKind(view.nodeId, before.kind);
    kind.nodeIds.add(view.nodeId);
    this.#nodes.set(view.nodeId, { view, kind });
    for (const shape of this.shapesOf(view.nodeId)) shape.stale.add(view.nodeId);
    return before === undefined || before.kind !== kind || view.leases <= before.view.leases;
  }

  removeNode(nodeId: string): boolean {
    const known = this.#nodes.get(nodeId);
    if (known === undefined) return false;
    this.#leaveKind(nodeId, known.kind);
    this.#nodes.delete(nodeId);
    return true;
  }

  /** Yields the shapes that the node could hold if it were empty. */
  *shapesOf(nodeId: string): Generator<Shape> {
    const known = this.#nodes.get(nodeId);
    if (known === undefined) return;
    yield* known.kind.shapes;
    for (const shape of this.#bound.get(nodeId) ?? []) if (isFeasible(known.kind, shape.request)) yield shape;
  }

  couldRunOn(shape: Shape, nodeId: string): boolean {
    const known = this.#nodes.get(nodeId);
    if (known === undefined) return false;
    const bound = boundTo(shape.request);
    if (bound === undefined) return known.kind.shapes.has(shape);
    return bound === nodeId && isFeasible(known.kind, shape.request);
  }

  /** Returns whether some node could hold the shape if the node were empty. */
  isFeasible(shape: Shape): boolean {
    const bound = boundTo(shape.request);
    if (bound !== undefined) return this.couldRunOn(shape, bound);
    for (const kind of this.#kinds.values()) if (kind.shapes.has(shape)) return true;
    return false;
  }

  shapeOf(request: PlacementRequest): Shape {
    const key = keyOf(request);
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const shape: Shape = {
      key,
      request: { ...request, claim: undefined },
      lines: new Map(),
      turns: new Turns(),
      candidates: new IndexedHeap(({ nodeId }) => nodeId, compareCandidates),
      stale: new Set(),
      reservedNodeId: undefined,
    };
    this.#shapes.set(key, shape);
    const bound = boundTo(request);
    if (bound !== undefined) {
      const shapes = this.#bound.get(bound) ?? new Set();
      this.#bound.set(bound, shapes.add(shape));
      if (this.#nodes.has(bound)) shape.stale.add(bound);
    } else for (const kind of this.#kinds.values()) relate(shape, kind);
    return shape;
  }

  /** Records that requests wait for the shape again. */
  inUse(shape: Shape): void {
    this.#idle.delete(shape);
  }

  /** Records that no request waits for the shape any more. */
  unused(shape: Shape): void {
    this.#idle.add(shape);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= maxIdleShapes) return;
      this.#forget(oldest);
    }
  }

  #forget(shape: Shape): void {
    this.#idle.delete(shape);
    this.#shapes.delete(shape.key);
    for (const kind of this.#kinds.values()) kind.shapes.delete(shape);
    const bound = boundTo(shape.request);
    if (bound === undefined) return;
    const shapes = this.#bound.get(bound);
    shapes?.delete(shape);
    if (shapes?.size === 0) this.#bound.delete(bound);
  }

  #kindOf({ total, labels }: NodeView): NodeKind {
    const key = JSON.stringify([sortedEntries(total), sortedEntries(labels)]);
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const kind: NodeKind = { key, total, labels, nodeIds: new Set(), shapes: new Set() };
    this.#kinds.set(key, kind);
    for (const shape of this.#shapes.values()) if (boundTo(shape.request) === undefined) relate(shape, kind);
    return kind;
  }

  #leaveKind(nodeId: string, kind: NodeKind): void {
    for (const shape of this.shapesOf(nodeId)) shape.stale.add(nodeId);
    kind.nodeIds.delete(nodeId);
    if (kind.nodeIds.size === 0) this.#kinds.delete(kind.key);
  }
}

function relate(shape: Shape, kind: NodeKind): void {
  if (!isFeasible(kind, shape.request)) return;
  kind.shapes.add(shape);
  for (const nodeId of kind.nodeIds) shape.stale.add(nodeId);
}

/** Returns the same text for requests that ask for the same things, whatever their claims. */
export function keyOf({ resources, labels, conditions = [], strategy }: PlacementRequest): string {
  const asked: unknown[] = [sortedEntries(resources), sortedEntries(labels)];
  if (conditions.length > 0 || (strategy !== undefined && strategy.kind !== "pack")) {
    asked.push(
      conditions.map(({ name, operator, values }) => [name, operator, ...values]),
      strategy?.kind === "node" ? [strategy.nodeId, strategy.soft] : strategy?.kind,
    );
  }
  return JSON.stringify(asked);
}
