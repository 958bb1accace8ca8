/**
 * Responsibility: orders to free objects that a node has not confirmed, so that they can be repeated.
 * Not responsible for: sending them, or which nodes have which objects (object-directory.ts).
 *
 * At most `maxOrders` objects per node are remembered. Beyond it the oldest are forgotten, and are freed when their
 * lease owner ends, or evicted if they are copies.
 */
import { OldestFirstMap } from "@palimpsest/wire";

const maxOrders = 100_000;

export interface FreeOrder {
  readonly objectId: string;
  /** The owner whose lease ends; empty for all owners. */
  readonly holder: string;
  /** The revision up to which leases are ended. A lease that was taken later is not (DIRECTORY-5). */
  readonly revision: number;
  /** Whether the object is dropped only if the node has no lease on it. */
  readonly copiesOnly: boolean;
}

/** A group of orders that differ only in their objects. */
interface OrderGroup {
  readonly holder: string;
  readonly copiesOnly: boolean;
  readonly orders: readonly FreeOrder[];
}

export class FreeOrders {
  /** The orders by node and object, and then by what they order. */
  readonly #nodes = new Map<string, OldestFirstMap<string, Map<string, FreeOrder>>>();

  remember(nodeId: string, orders: readonly FreeOrder[]): void {
    const remembered = this.#nodes.get(nodeId) ?? new OldestFirstMap<string, Map<string, FreeOrder>>();
    this.#nodes.set(nodeId, remembered);
    for (const order of orders) {
      const ofObject = remembered.get(order.objectId) ?? new Map<string, FreeOrder>();
      remembered.set(order.objectId, ofObject.set(kindOf(order), order));
    }
    while (remembered.size > maxOrders && remembered.oldest !== undefined)
      remembered.delete(remembered.oldest);
  }

  /** Records that the node has dropped the object. */
  confirmed(nodeId: string, objectId: string): void {
    this.#nodes.get(nodeId)?.delete(objectId);
  }

  forget(nodeId: string): void {
    this.#nodes.delete(nodeId);
  }

  /** Returns the orders about objects that the node still has; the others are forgotten. */
  left(nodeId: string, has: (objectId: string) => boolean): readonly OrderGroup[] {
    const ofNode = this.#nodes.get(nodeId);
    const groups = new Map<string, { holder: string; copiesOnly: boolean; orders: FreeOrder[] }>();
    for (const [objectId, ofObject] of ofNode ?? []) {
      if (!has(objectId)) {
        ofNode?.delete(objectId);
        continue;
      }
      for (const [kind, order] of ofObject) {
        const { holder, copiesOnly } = order;
        const group = groups.get(kind) ?? { holder, copiesOnly, orders: [] };
        groups.set(kind, group);
        group.orders.push(order);
      }
    }
    return [...groups.values()];
  }
}

function kindOf({ holder, copiesOnly }: FreeOrder): string {
  return `${copiesOnly ? "copies" : "leases"} ${holder}`;
}
