/**
 * The line of actors and drivers that wait for a node.
 *
 * Not its job: choosing among nodes (the scheduler package), or starting anything.
 *
 * Invariants:
 * - L1. What is placed has its lease before anything else is placed: no node is overcommitted.
 * - L2. Whoever waits is tried, oldest first, after each change that may have made room.
 * - L3. Whoever waits knows why: `onRefused` is told the reason of the last try.
 */
import { type Placement, type PlacementRequest, place } from "@palimpsest/scheduler";
import type { NodeTable } from "./node-table.js";

export interface Seeker {
  /** Names the lease on the node that is found. */
  readonly leaseId: string;
  readonly request: PlacementRequest;
  onPlaced(nodeId: string): void;
  onRefused(reason: string): void;
}

export class PlacementLine {
  readonly #nodes: NodeTable;
  readonly #waiting = new Map<string, Seeker>();
  #scheduled = false;

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
    nodes.onCapacity(() => this.#schedule());
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Joins the line under a key; a seeker of the same key is replaced and keeps its place. */
  join(key: string, seeker: Seeker): void {
    this.#waiting.set(key, seeker);
    this.#schedule();
  }

  leave(key: string): void {
    this.#waiting.delete(key);
  }

  /** One pass a turn of the event loop, however many changes that turn made. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#pass();
    });
  }

  #pass(): void {
    // Nothing frees up during a pass: a request that was refused once is refused for all that ask the same.
    const refused = new Map<string, Placement & { placed: false }>();
    for (const [key, seeker] of this.#waiting) {
      const shape = JSON.stringify(seeker.request);
      const placement = refused.get(shape) ?? place(this.#nodes.view(), seeker.request);
      if (!placement.placed) {
        refused.set(shape, placement);
        seeker.onRefused(placement.reason);
        continue;
      }
      this.#waiting.delete(key);
      this.#nodes.reserve(placement.nodeId, seeker.leaseId, seeker.request.resources);
      seeker.onPlaced(placement.nodeId);
    }
  }
}
