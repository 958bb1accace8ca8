/**
 * Where nodes come from. An instance is a node as its provider sees it: a process, a Pod, a machine. Its name is chosen by
 * the autoscaler and is one of a fixed set (AUTOSCALER-1), so creating is idempotent: of two that create the same name one
 * creates it and the other finds it there.
 */
import type { NodeTypeConfig } from "./config.js";

/** The label that a node carries whose instance this is. */
export const instanceLabel = "palimpsest.instance";

export interface Instance {
  readonly name: string;
  /** Of the configuration that it was created with. */
  readonly nodeType: string;
  /** ended: its node is gone for good and the name is still taken. */
  readonly state: "starting" | "running" | "ending" | "ended";
  readonly createdAtMs: number;
  /** Why it does not get on, as the provider says it; empty when it does. */
  readonly problem: string;
}

export interface NewInstance {
  readonly name: string;
  readonly type: NodeTypeConfig;
}

export interface NodeProvider {
  /** For people: "local", "kubernetes". */
  readonly kind: string;
  /** Every instance of this cluster, whoever created it, those that end too. */
  list(signal: AbortSignal): Promise<readonly Instance[]>;
  /** Instances that are there already count as created. Returns when the provider has accepted them. */
  create(instances: readonly NewInstance[], signal: AbortSignal): Promise<void>;
  /** Instances that are gone already count as ended. Returns when the provider has accepted it. */
  terminate(names: readonly string[], signal: AbortSignal): Promise<void>;
}
