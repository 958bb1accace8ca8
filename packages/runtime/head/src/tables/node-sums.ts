import { addQuantities, type Quantities, subtractQuantities } from "@palimpsest/scheduler";
import type { Node, NodeState } from "./node.js";

/**
 * Counts nodes and sums resources over the living ones. Both are updated with each change, so that no reader has to
 * iterate over all nodes.
 */
export class NodeSums {
  readonly #counts = new Map<NodeState, number>();
  #total: Quantities = {};
  #available: Quantities = {};

  /** Replaces a node's old state with its new one; undefined before it is known, and after it is forgotten. */
  replace(before: Node | undefined, after: Node | undefined): void {
    if (before !== undefined) {
      this.#counts.set(before.state, this.count(before.state) - 1);
      if (before.state === "ALIVE") {
        this.#total = subtractQuantities(this.#total, before.total);
        this.#available = subtractQuantities(this.#available, before.available);
      }
    }
    if (after !== undefined) {
      this.#counts.set(after.state, this.count(after.state) + 1);
      if (after.state === "ALIVE") {
        this.#total = addQuantities(this.#total, after.total);
        this.#available = addQuantities(this.#available, after.available);
      }
    }
  }

  count(state: NodeState): number {
    return this.#counts.get(state) ?? 0;
  }

  /** Returns the total and the leased quantities of all living nodes. */
  totals(): { readonly total: Quantities; readonly used: Quantities } {
    return { total: this.#total, used: subtractQuantities(this.#total, this.#available) };
  }
}
