/**
 * Responsibility: which nodes fetch an object at the moment, in the order in which they began: the later ones take it from the
 *   earlier ones, so that whoever has it sends it once and not to each.
 * Not responsible for: who has it (object-directory.ts), whether they live.
 *
 * Invariants:
 * - FETCHERS-1. Who asks again keeps its place: of two nodes one began before the other, for both of them.
 * - FETCHERS-2. A node of which nothing is heard for `keepMs` is named no more; of all at most `maxEntries` are remembered,
 *   the oldest are forgotten first. Who is named in vain costs its followers one question.
 */
import type { Clock } from "@palimpsest/wire";

const keepMs = 600_000;
const maxEntries = 100_000;

export class ObjectFetchers {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  /** By object: nodes in their order, and when each asked last. */
  readonly #objects = new Map<string, Map<string, number>>();
  #size = 0;

  constructor(clock: Clock, limit = maxEntries) {
    this.#clock = clock;
    this.#maxEntries = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether some node fetches it. */
  has(objectId: string): boolean {
    return this.#objects.has(objectId);
  }

  /** The node is about to fetch it. @returns those that began before it */
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

  /** The node has it, or has it no more. */
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
