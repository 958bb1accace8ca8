import type * as tf from "@tensorflow/tfjs";
import type { HostArray, TensorSpec } from "./spec.js";

export type Tensors = Readonly<Record<string, tf.Tensor>>;

export type HostArrays = Readonly<Record<string, HostArray>>;

/**
 * Pure: computes outputs and the new value of the state entries that it changes. Static shapes, no reads of values on
 * the host. In mode graph it runs once, on shapes; in mode eager on every call, inside a tidy.
 */
export type JitBody = (
  state: Tensors,
  inputs: Tensors,
) => { readonly outputs: Tensors; readonly state?: Tensors };

export interface JitFunction {
  readonly inputs: Readonly<Record<string, TensorSpec>>;
  readonly body: JitBody;
  /** What comes after the body in the same run. Only the last stage changes the state. */
  readonly next?: JitStage;
}

/** What replicas do with sums over all of them; one replica's sums are what it has, and all stages are one body. */
export interface JitStage {
  /** float32 outputs of what comes before: they are not returned but summed over all replicas, and are inputs of all that follows. */
  readonly sums: readonly string[];
  /** Given the function's inputs and all sums so far. */
  readonly body: JitBody;
  readonly next?: JitStage;
}
