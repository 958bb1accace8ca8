/**
 * Responsibility: the autoscaler's view of the cluster, and the orderly end of an idle node.
 * Not responsible for: deciding when nodes are started or ended (the autoscaler package, which the head does not
 * import).
 *
 * Invariants:
 * - SCALING-1. A node is idle while it has no leases and no object is held only there that could not be moved. The
 *   idle time counts on the monotonic clock, from when this head first saw the node idle.
 * - SCALING-2. A node is retired only while it is idle, and from that turn on nothing is placed on it. It is drained
 *   first: objects that only it holds are moved to other nodes before it is ordered to end.
 */
import type { NodeView, PendingDemand, ScalableCluster, ScaledNode } from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import type { NodeDrains } from "../rules/node-drains.js";
import type { PendingQueue } from "../rules/placement.js";
import type { PlacementGroups } from "../rules/placement-groups.js";
import type { NodeTable } from "../tables/node-table.js";

export interface ClusterScalingDeps {
  readonly nodes: NodeTable;
  readonly pendingQueue: Pick<PendingQueue, "waitingShapes">;
  readonly groups: Pick<PlacementGroups, "waitingRequests">;
  readonly drains: Pick<NodeDrains, "canDrainIdle" | "drainIdle">;
  readonly clock: Clock;
  readonly confirmLead: () => Promise<void>;
}

export class ClusterScaling implements ScalableCluster {
  readonly clusterName: string;
  readonly address: string;
  readonly #deps: ClusterScalingDeps;
  readonly #views = new Map<string, NodeView>();
  /** When each node without leases became idle. */
  readonly #idleSince = new Map<string, number>();

  constructor(names: Pick<ScalableCluster, "clusterName" | "address">, deps: ClusterScalingDeps) {
    this.clusterName = names.clusterName;
    this.address = names.address;
    this.#deps = deps;
    deps.nodes.onChange((nodeId, view) => this.#changed(nodeId, view));
    for (const view of deps.nodes.views()) this.#changed(view.nodeId, view);
  }

  demand(): PendingDemand {
    const { pendingQueue, groups } = this.#deps;
    // No node helps what a quota or scope blocks.
    const requests = pendingQueue
      .waitingShapes()
      .map((shape) => ({ ...shape, count: shape.count - shape.limited }))
      .filter(({ count }) => count > 0);
    return { requests, groups: groups.waitingRequests() };
  }

  nodes(): readonly ScaledNode[] {
    return this.#deps.nodes.all().map(({ nodeId, state, labels }) => ({
      ...{ nodeId, labels, view: this.#views.get(nodeId), idleMs: this.#idleMs(nodeId) },
      state: state === "ALIVE" ? "alive" : state === "SUSPECT" ? "away" : "dead",
    }));
  }

  retire(nodeId: string, reason: string): boolean {
    const { drains } = this.#deps;
    return this.#idleSince.has(nodeId) && drains.canDrainIdle(nodeId) && drains.drainIdle(nodeId, reason);
  }

  confirmLead(): Promise<void> {
    return this.#deps.confirmLead();
  }

  #changed(nodeId: string, view: NodeView | undefined): void {
    if (view === undefined) this.#views.delete(nodeId);
    else this.#views.set(nodeId, view);
    if (view?.leases !== 0) this.#idleSince.delete(nodeId);
    else if (!this.#idleSince.has(nodeId)) this.#idleSince.set(nodeId, this.#deps.clock.monotonicMs());
  }

  /** SCALING-1 */
  #idleMs(nodeId: string): number {
    const since = this.#idleSince.get(nodeId);
    if (since === undefined) return 0;
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#deps.drains.canDrainIdle(nodeId)) return nowMs - since;
    this.#idleSince.set(nodeId, nowMs);
    return 0;
  }
}
