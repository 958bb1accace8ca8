import type * as tf from "@tensorflow/tfjs";
import type { Segments } from "./segments.js";

/** What comes before the rows' own keys: once for several rows. */
export interface AttentionPrefix {
  /** [P, Lp, G, d]; rows come in P groups of equal size, and every query of a group sees its prefix. */
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
  /** int32 [P], each at least 1: keys behind are padding. Absent: all are seen. */
  readonly lengths?: tf.Tensor;
}

export interface AttentionOptions {
  /** A query sees the keys up to its own position; takes as many keys as queries. Default false. */
  readonly causal?: boolean;
  /**
   * int32 [B] each, at least 1: positions behind are padding. Results of padding mean nothing. Without those of the
   * queries every query counts, as where each row asks with one query.
   */
  readonly lengths?: { readonly queries?: tf.Tensor; readonly keys: tf.Tensor };
  /** Several rows packed into each sequence: a query sees its own segment alone. Takes `causal`. */
  readonly segments?: Segments;
  /** Keys and values that are seen besides. Takes `causal`. */
  readonly prefix?: AttentionPrefix;
  /** Factor on the scores; default 1 / √d. */
  readonly scale?: number;
}
