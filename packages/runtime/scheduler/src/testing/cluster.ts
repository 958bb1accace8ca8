import type { Claim } from "../claim.js";
import { Ledger, type Quotas } from "../ledger.js";
import { PlacementIndex } from "../placement-index.js";
import { addQuantities, type Quantities, subtractQuantities } from "../resources.js";
import { aNode } from "./nodes.js";

export interface Asked {
  readonly key: string;
  readonly claim: Claim;
  readonly resources: Quantities;
}

export interface Placed extends Asked {
  readonly nodeId: string;
}

/** Nodes, a ledger and a queue, leased as the head does it. Time is what a test says. */
export class TestCluster {
  nowMs = 0;
  readonly ledger: Ledger;
  readonly index: PlacementIndex;
  readonly nodes = new Map<string, ReturnType<typeof aNode>>();
  readonly waiting = new Map<string, Asked>();
  readonly placed = new Map<string, Placed>();

  constructor(quotas: Quotas = () => undefined, ledger = new Ledger(quotas, () => this.nowMs)) {
    this.ledger = ledger;
    this.index = new PlacementIndex(ledger);
    ledger.shares.onChange((key) => this.index.rescore(key));
  }

  join(nodeId: string, total: Quantities): void {
    this.#set(aNode(nodeId, { total }));
    this.ledger.shares.setNode(nodeId, total);
  }

  ask(asked: Asked): void {
    this.waiting.set(asked.key, asked);
    const { key, claim, resources } = asked;
    this.index.add(key, { resources, labels: {}, claim }, this.nowMs);
  }

  /** Places one request. */
  place(): Placed | undefined {
    const next = this.index.next();
    const asked = next && this.waiting.get(next.key);
    const node = next && this.nodes.get(next.nodeId);
    if (asked === undefined || node === undefined) return undefined;
    this.waiting.delete(asked.key);
    const placed = { ...asked, nodeId: node.nodeId };
    this.placed.set(asked.key, placed);
    const available = subtractQuantities(node.available, asked.resources);
    this.ledger.take(asked.key, asked.claim, asked.resources);
    this.#set({ ...node, available, leases: node.leases + 1 });
    return placed;
  }

  /** Counts other quantities for a lease than it takes from its node, as for a task that waits for its own tasks. */
  count(key: string, counted: Quantities): void {
    const placed = this.placed.get(key);
    if (placed !== undefined) this.ledger.take(key, placed.claim, counted);
  }

  end(key: string): void {
    const placed = this.placed.get(key);
    const node = placed && this.nodes.get(placed.nodeId);
    if (placed === undefined || node === undefined) return;
    this.placed.delete(key);
    this.ledger.giveBack(key);
    this.#set({
      ...node,
      available: addQuantities(node.available, placed.resources),
      leases: node.leases - 1,
    });
  }

  cancel(key: string): void {
    this.waiting.delete(key);
    this.index.delete(key);
  }

  /** Takes over what time has changed, as the head does with each heartbeat. */
  tick(): void {
    for (const key of this.ledger.shares.moving()) this.index.rescore(key);
  }

  #set(node: ReturnType<typeof aNode>): void {
    this.nodes.set(node.nodeId, node);
    this.index.setNode(node);
  }
}
