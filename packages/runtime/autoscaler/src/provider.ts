/**
 * Defines where nodes come from. An instance is a node as its provider sees it: a process, a Pod, a machine. The
 * autoscaler chooses its name from a fixed set (AUTOSCALER-1), so that creation is idempotent: when two create the same
 * name, one creates the instance and the other finds it.
 */
import type { NodeTypeConfig } from "./config.js";

/** The label of a node that names its instance. */
export const instanceLabel = "palimpsest.instance";

/** A node as its provider knows it, whether or not it has joined the cluster. */
export interface Instance {
  readonly name: string;
  /** The node type of the configuration from which it was created. */
  readonly nodeType: string;
  /** ended: the node is gone for good, and its name is still taken. */
  readonly state: "starting" | "running" | "ending" | "ended";
  readonly createdAtMs: number;
  /** Why the instance makes no progress, in the provider's words; "" when it does. */
  readonly problem: string;
}

export interface NewInstance {
  readonly name: string;
  readonly type: NodeTypeConfig;
}

/** Where nodes come from: lists, creates and removes instances. */
export interface NodeProvider {
  /** The provider's name for people: "local" or "kubernetes". */
  readonly kind: string;
  /** Returns every instance of this cluster, whoever created it, including those that are ending. */
  list(signal: AbortSignal): Promise<readonly Instance[]>;
  /** Creates instances. Those that already exist count as created. Resolves when the provider has accepted them. */
  create(instances: readonly NewInstance[], signal: AbortSignal): Promise<void>;
  /** Ends instances. Those that are already gone count as ended. Resolves when the provider has accepted it. */
  terminate(names: readonly string[], signal: AbortSignal): Promise<void>;
}
