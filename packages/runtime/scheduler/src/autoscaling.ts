/**
 * The interface between a head and an autoscaler. It has types only, because the two packages do not import each other.
 */
import type { PendingDemand, UnmetDemand } from "./node-planning.js";
import type { NodeView } from "./placement.js";

/** A node of the cluster, as the autoscaler sees it. */
export interface ScaledNode {
  readonly nodeId: string;
  readonly state: "alive" | "away" | "dead";
  readonly labels: Readonly<Record<string, string>>;
  /** The node as the scheduler sees it; undefined unless the node is alive and takes new work. */
  readonly view: NodeView | undefined;
  /**
   * Milliseconds for which nothing of the node has been leased and it has held no object that is still referenced and
   * could not be moved; 0 while it is busy.
   */
  readonly idleMs: number;
}

/** What the leading head offers to an autoscaler. */
export interface ScalableCluster {
  readonly clusterName: string;
  /** host:port at which nodes join. */
  readonly address: string;
  demand(): PendingDemand;
  nodes(): readonly ScaledNode[];
  /**
   * Ends an idle node in an orderly way: from this moment nothing new is placed on it, and objects of which it has the
   * only copy are moved first.
   * @returns true when the node was told to end; false when it is not idle or not alive, or while its objects are being
   *   moved, after which it ends by itself
   */
  retire(nodeId: string, reason: string): boolean;
  /** Resolves when the store has confirmed that this head still leads. */
  confirmLead(): Promise<void>;
}

export interface NodeTypeReport {
  readonly name: string;
  readonly minNodes: number;
  readonly maxNodes: number;
  readonly running: number;
  readonly starting: number;
  readonly stopping: number;
  /** The last failure with this type that has not been followed by a success; empty when there is none. */
  readonly error: string;
  /** The names of its instances, including those that are ending. */
  readonly instances: readonly string[];
}

/** What an autoscaler is doing, for people. */
export interface AutoscalerReport {
  /** The provider's name, such as "local" or "kubernetes". */
  readonly provider: string;
  readonly types: readonly NodeTypeReport[];
  /** Pending demand for which no node will be started. */
  readonly unmet: readonly UnmetDemand[];
  /** The last failure that has not been followed by a success; empty when there is none. */
  readonly error: string;
  /** When the failed operation is retried, in milliseconds of the clock; 0 when there is nothing to retry. */
  readonly retryAtMs: number;
}
