import type * as tf from "@tensorflow/tfjs-core";
import { JitError } from "../base/error.js";

export type ScanBody = (
  carry: tf.Tensor[],
  slices: tf.Tensor[],
) => { readonly carry: readonly tf.Tensor[]; readonly ys?: readonly tf.Tensor[] };

export interface ScanOptions {
  /** Passed from step to step; shapes and types must not change. */
  readonly carry: readonly tf.Tensor[];
  /** Stacked tensors [L, ...]; a step gets [...]. At least one. */
  readonly xs: readonly tf.Tensor[];
  /** May use tensors from outside. Its own tensors leave it only as carry or ys. */
  readonly body: ScanBody;
  /** Runs from the last slice to the first; ys keep the order of xs. */
  readonly reverse?: boolean;
  /** What the forward steps of a traced scan keep for the gradient. Default nothing. */
  readonly keep?: Keep;
}

/**
 * What the forward steps of a scan keep for the gradient, besides the carry at the start of each. nothing: a step is
 * recomputed; products: results of matrix products and of attention are kept, the cheap rest is recomputed;
 * everything: all is kept. From first to last they need more memory and less time, and give the same results.
 */
export type Keep = "nothing" | "products" | "everything";

/** The last carry, and every step's ys stacked [L, ...]. */
export interface Scanned {
  carry: tf.Tensor[];
  ys: tf.Tensor[];
}

/** @throws {JitError} SHAPE_MISMATCH if a step changes the carry's shape or type */
export function checkCarry(before: readonly tf.Tensor[], after: readonly tf.Tensor[]): void {
  const form = (tensors: readonly tf.Tensor[]) =>
    tensors.map((tensor) => `${tensor.dtype}[${tensor.shape.join(", ")}]`).join(", ");
  if (form(before) === form(after)) return;
  throw new JitError(
    "SHAPE_MISMATCH",
    `scan: the body got carry ${form(before)}, but returned ${form(after)}; return the same names, shapes and dtypes`,
  );
}
