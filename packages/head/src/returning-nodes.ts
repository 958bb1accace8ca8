/**
 * Responsibility: what the head remembers of a node that is out of reach, for when the same process of it is back.
 * Not responsible for: what follows from it (actor-returns.ts, actor-deaths.ts).
 *
 * Invariants:
 * - RETURN-1. Whoever registers for the first time at this head may run what the tables have lost, and is asked. A head
 *   forgets nothing that runs while it leads, so what a node brings later and nobody knows was killed and forgotten,
 *   unless the question about it is still unanswered.
 * - RETURN-2. A start that was cut short by the loss of a node counts against the actor only while that process of the
 *   node stays away: a node that comes back was cut off, not brought down.
 */
import type { NodeTable } from "./node-table.js";

export class ReturningNodes {
  readonly #nodes: NodeTable;
  readonly #asked = new Map<string, Set<string>>();
  readonly #lostStarts = new Map<string, Set<string>>();

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
  }

  /** A start of the actor was cut short by the loss of the node. */
  lostStart(nodeId: string, actorId: string): void {
    this.#add(this.#lostStarts, nodeId, [actorId]);
  }

  /** The node has registered. @returns actors whose starts on it were counted and are not to count any more (RETURN-2) */
  forgiven(nodeId: string): string[] {
    const actorIds = this.#lostStarts.get(nodeId) ?? [];
    this.#lostStarts.delete(nodeId);
    return this.#nodes.isBack(nodeId) ? [...actorIds] : [];
  }

  /** The node has registered. @returns those of the unknown ids that it is to describe; the others are to end (RETURN-1) */
  toDescribe(nodeId: string, unknownIds: readonly string[]): string[] {
    const asked = this.#asked.get(nodeId);
    this.#asked.delete(nodeId);
    const ids = this.#nodes.isBack(nodeId) ? unknownIds.filter((id) => asked?.has(id)) : [...unknownIds];
    this.#add(this.#asked, nodeId, ids);
    return ids;
  }

  described(nodeId: string, actorId: string): void {
    const asked = this.#asked.get(nodeId);
    asked?.delete(actorId);
    if (asked?.size === 0) this.#asked.delete(nodeId);
  }

  #add(sets: Map<string, Set<string>>, nodeId: string, ids: readonly string[]): void {
    if (ids.length === 0) return;
    for (const known of sets.keys()) if (this.#nodes.get(known) === undefined) sets.delete(known);
    const set = sets.get(nodeId) ?? new Set();
    sets.set(nodeId, set);
    for (const id of ids) set.add(id);
  }
}
