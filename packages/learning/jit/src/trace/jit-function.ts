import type * as tf from "@tensorflow/tfjs-core";
import type { HostArray, TensorSpec } from "../base/spec.js";

export type Tensors = Readonly<Record<string, tf.Tensor>>;

export type HostArrays = Readonly<Record<string, HostArray>>;

/**
 * A pure function: computes outputs and the new values of the state entries that it changes. It has static shapes and reads no
 * values on the host. In modes graph and xla it runs once, on shapes; in mode eager on every call, inside a tidy.
 */
export type JitBody = (
  state: Tensors,
  inputs: Tensors,
) => { readonly outputs: Tensors; readonly state?: Tensors };

export interface JitFunction {
  readonly inputs: Readonly<Record<string, TensorSpec>>;
  readonly body: JitBody;
  /** What runs after the body in the same run. Only the last stage changes the state. */
  readonly next?: JitStage;
  /** What replicas exchange in the same run; not together with `next`. */
  readonly shards?: JitShards;
}

/**
 * Entries of the state of which each replica holds one shard: an equal run of a tensor's values in row-major order, the last one padded
 * with zeros. With one replica the shard is the whole tensor, in its own shape.
 */
export interface JitShards {
  /** Sharded float32 entries that the body receives whole, as [replicas · length]. */
  readonly whole?: readonly string[];
  /**
   * Outputs [replicas, length], float32 or bfloat16, with the names of sharded float32 entries. They are not returned: each replica adds
   * its row, summed over all replicas, to its entry.
   */
  readonly scatter?: readonly string[];
  /**
   * Outputs [length], in the type in which the entry is stored, with the names of entries that are not sharded. They are not
   * returned: joined in the order of replicas they become the entry of each.
   */
  readonly gather?: readonly string[];
}

/** A stage that follows sums over all replicas; with one replica a sum is its own value, and all stages are one body. */
export interface JitStage {
  /**
   * float32 or bfloat16 outputs of the previous stage: they are not returned but summed over all replicas in float32, and are inputs of
   * all later stages.
   */
  readonly sums: readonly string[];
  /** Receives the function's inputs and all sums so far. */
  readonly body: JitBody;
  readonly next?: JitStage;
}
