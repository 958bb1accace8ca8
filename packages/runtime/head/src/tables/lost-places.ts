/** The maximum number of leased objects of dead nodes that are remembered in total, and of such nodes. */
const maxObjects = 100_000;
const maxNodes = 100;

/**
 * The leases of nodes that are dead for this head. A node that was only cut off, or stood still, comes back with its
 * objects, and must then be told which of these leases ended in the meantime (DIRECTORY-4).
 */
export class LostPlaces {
  /** The objects with leases by node, with the revision of each lease; the longest dead node comes first. */
  readonly #nodes = new Map<string, ReadonlyMap<string, number>>();
  readonly #onForgotten: (nodeId: string) => void;
  #objects = 0;

  /** @param onForgotten called for a node that has been dead for too long to be waited for */
  constructor(onForgotten: (nodeId: string) => void) {
    this.#onForgotten = onForgotten;
  }

  died(nodeId: string, leased: ReadonlyMap<string, number>): void {
    this.back(nodeId);
    if (leased.size === 0) {
      this.#onForgotten(nodeId);
      return;
    }
    this.#nodes.set(nodeId, leased);
    this.#objects += leased.size;
    for (const [oldest] of this.#nodes) {
      if (this.#objects <= maxObjects && this.#nodes.size <= maxNodes) break;
      this.back(oldest);
      this.#onForgotten(oldest);
    }
  }

  back(nodeId: string): void {
    this.#objects -= this.#nodes.get(nodeId)?.size ?? 0;
    this.#nodes.delete(nodeId);
  }

  /** Yields the dead nodes that had a lease on the object, with its revision. */
  *of(objectId: string): Generator<readonly [string, number]> {
    for (const [nodeId, leased] of this.#nodes) {
      const revision = leased.get(objectId);
      if (revision !== undefined) yield [nodeId, revision];
    }
  }
}
