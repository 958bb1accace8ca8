/** What a head and an autoscaler tell each other. Types alone: the two packages do not import each other. */
import type { PendingDemand, UnmetDemand } from "./node-planning.js";
import type { NodeView } from "./placement.js";

/** A node of the cluster as who starts and ends nodes sees it. */
export interface ScaledNode {
  readonly nodeId: string;
  readonly state: "alive" | "away" | "dead";
  readonly labels: Readonly<Record<string, string>>;
  /** What can be used of it; undefined unless it is alive and takes new work. */
  readonly view: NodeView | undefined;
  /** How long nothing has been leased of it and it has held no object that others need and that could not be moved; 0 while it is busy. */
  readonly idleMs: number;
}

/** What the head that leads offers. */
export interface ScalableCluster {
  readonly clusterName: string;
  /** host:port at which nodes join. */
  readonly address: string;
  demand(): PendingDemand;
  nodes(): readonly ScaledNode[];
  /**
   * Ends an idle node in order: nothing new is placed on it from this moment on, and what it alone holds is moved first.
   * @returns true when it is told to end; false when it is not idle or not alive, and while its objects are moved, after
   *   which it ends by itself
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
}

/** What an autoscaler does, for people. */
export interface AutoscalerReport {
  /** Such as "local" or "kubernetes". */
  readonly provider: string;
  readonly types: readonly NodeTypeReport[];
  /** What waits and gets no node. */
  readonly unmet: readonly UnmetDemand[];
  /** What went wrong last and has not gone well since; empty when nothing has. */
  readonly error: string;
  /** When that is tried again, by the clock; 0 when there is nothing to try. */
  readonly retryAtMs: number;
}
