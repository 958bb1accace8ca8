/**
 * Responsibility: what the head remembers of an unreachable node for the case that the same node process comes back.
 * Not responsible for: acting on it (actor-returns.ts, actor-deaths.ts).
 *
 * Invariants:
 * - RETURN-1. A node that registers with this head for the first time may run actors that the tables have lost, and
 *   is asked to describe them. While it leads, a head forgets nothing that runs, so an unknown actor that a node
 *   reports later was killed and forgotten, unless its description is still outstanding.
 * - RETURN-2. A start that was interrupted by the loss of a node counts against the actor only while that node
 *   process stays away: a node that comes back was disconnected, not brought down.
 */
import type { NodeTable } from "../../tables/node-table.js";

export class ReturningNodes {
  readonly #nodes: NodeTable;
  readonly #asked = new Map<string, Set<string>>();
  readonly #lostStarts = new Map<string, Set<string>>();

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
  }

  /** Records that the loss of a node interrupted a start of the actor. */
  lostStart(nodeId: string, actorId: string): void {
    this.#add(this.#lostStarts, nodeId, [actorId]);
  }

  /**
   * Must be called when the node has registered.
   * @returns actors whose starts on it were counted and no longer count (RETURN-2)
   */
  forgiven(nodeId: string): string[] {
    const actorIds = this.#lostStarts.get(nodeId) ?? [];
    this.#lostStarts.delete(nodeId);
    return this.#nodes.isBack(nodeId) ? [...actorIds] : [];
  }

  /**
   * Must be called when the node has registered.
   * @returns those of the unknown ids that it has to describe; the others must end (RETURN-1)
   */
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
