import type * as tf from "@tensorflow/tfjs";
import { JitError } from "./error.js";

export type ScanBody = (
  carry: tf.Tensor[],
  slices: tf.Tensor[],
) => { readonly carry: readonly tf.Tensor[]; readonly ys?: readonly tf.Tensor[] };

export interface ScanOptions {
  /** What passes from step to step; shapes and types stay. */
  readonly carry: readonly tf.Tensor[];
  /** Stacked tensors [L, ...]; a step sees [...]. At least one. */
  readonly xs: readonly tf.Tensor[];
  /** May use tensors from outside. Its own tensors leave it as carry or ys only. */
  readonly body: ScanBody;
  /** From the last slice to the first; ys keep the order of xs. */
  readonly reverse?: boolean;
  /** What a traced gradient finds of the forward steps. Default nothing. */
  readonly keep?: Keep;
}

/**
 * What the gradient of a scan finds of its forward steps, beside the carry that each began with. nothing: a step is
 * computed again; products: results of matrix products and of attention are kept, the cheap rest is computed again;
 * everything: all is kept. More memory, less time, the same numbers.
 */
export type Keep = "nothing" | "products" | "everything";

/** The last carry, and every step's ys stacked [L, ...]. */
export interface Scanned {
  carry: tf.Tensor[];
  ys: tf.Tensor[];
}

/** @throws {JitError} SHAPE_MISMATCH where a step changes the carry's form */
export function checkCarry(before: readonly tf.Tensor[], after: readonly tf.Tensor[]): void {
  const form = (tensors: readonly tf.Tensor[]) =>
    tensors.map((tensor) => `${tensor.dtype}[${tensor.shape.join(", ")}]`).join(", ");
  if (form(before) === form(after)) return;
  throw new JitError(
    "SHAPE_MISMATCH",
    `scan: the body was given carry ${form(before)} and returned ${form(after)}; keep the form`,
  );
}
