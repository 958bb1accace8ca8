/**
 * Responsibility: which nodes are fetching an object, in the order in which they began. Later ones fetch it from
 * earlier ones, so that the source sends it once instead of once per node.
 * Not responsible for: which nodes have the object (object-directory.ts), or whether they are alive.
 *
 * Invariants:
 * - FETCHERS-1. A node that asks again keeps its position, so that all nodes agree on which of two began first.
 * - FETCHERS-2. A node that was not heard from for `keepMs` is no longer named. At most `maxEntries` are remembered
 *   in total, and the oldest are forgotten first. A stale entry costs its followers one failed request.
 */
import type { Clock } from "@palimpsest/std";

const keepMs = 600_000;
const maxEntries = 100_000;

export class ObjectFetchers {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  /** The nodes that fetch each object, in order, with the time at which each last asked. */
  readonly #objects = new Map<string, Map<string, number>>();
  #size = 0;

  constructor(clock: Clock, limit = maxEntries) {
    this.#clock = clock;
    this.#maxEntries = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns whether some node is fetching the object. */
  has(objectId: string): boolean {
    return this.#objects.has(objectId);
  }

  /** Records that the node is about to fetch the object. @returns the nodes that began before it */
  ask(objectId: string, nodeId: string): readonly string[] {
    const now = this.#clock.monotonicMs();
    const nodes = this.#objects.get(objectId) ?? new Map<string, number>();
    this.#objects.set(objectId, nodes);
    const before: string[] = [];
    for (const [other, askedAtMs] of [...nodes]) {
      if (other === nodeId) break;
      if (now - askedAtMs <= keepMs) before.push(other);
      else this.#forget(objectId, nodes, other);
    }
    if (!nodes.has(nodeId)) this.#size++;
    nodes.set(nodeId, now);
    this.#objects.set(objectId, nodes);
    while (this.#size > this.#maxEntries) this.#forgetOldest();
    return before;
  }

  /** Records that the node has the object, or has given it up. */
  ended(objectId: string, nodeId: string): void {
    const nodes = this.#objects.get(objectId);
    if (nodes?.has(nodeId)) this.#forget(objectId, nodes, nodeId);
  }

  nodeDied(nodeId: string): void {
    for (const [objectId, nodes] of [...this.#objects])
      if (nodes.has(nodeId)) this.#forget(objectId, nodes, nodeId);
  }

  #forget(objectId: string, nodes: Map<string, number>, nodeId: string): void {
    nodes.delete(nodeId);
    this.#size--;
    if (nodes.size === 0) this.#objects.delete(objectId);
  }

  #forgetOldest(): void {
    for (const [objectId, nodes] of this.#objects)
      for (const nodeId of nodes.keys()) {
        this.#forget(objectId, nodes, nodeId);
        return;
      }
  }
}
