import type * as tf from "@tensorflow/tfjs";
import type { Segments } from "./segments.js";

/** Keys and values before the rows' own ones, shared by several rows. */
export interface AttentionPrefix {
  /** [P, Lp, G, d]; rows come in P groups of equal size, and every query of a group attends to its group's prefix. */
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
  /** int32 [P], each at least 1: keys after that are padding. Absent: there is no padding. */
  readonly lengths?: tf.Tensor;
}

/** Tables of keys and values, of which each packed segment attends to the beginning of one row. */
export interface AttentionPast {
  /** [S, L, G, d] */
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
  /** int32 [slots of the segments]: each segment's row of the tables. */
  readonly rows: tf.Tensor;
  /** int32 [slots of the segments]: how many of the row's keys come before the segment; 0: none. */
  readonly lengths: tf.Tensor;
}

export interface AttentionOptions {
  /** A query attends to the keys up to its own position; needs as many keys as queries. Default false. */
  readonly causal?: boolean;
  /**
   * int32 [B] each, at least 1: positions after that are padding, whose results are meaningless. Without lengths of the
   * queries every query is valid, as where each row has one query.
   */
  readonly lengths?: { readonly queries?: tf.Tensor; readonly keys: tf.Tensor };
  /** Several rows packed into each sequence: a query attends only to its own segment. Needs `causal`. */
  readonly segments?: Segments;
  /** Additional keys and values that come first. Needs `causal`. */
  readonly prefix?: AttentionPrefix;
  /** What precedes each segment. Needs `segments` of one sequence; has no gradient. */
  readonly past?: AttentionPast;
  /** Factor on the scores; default 1 / √d. */
  readonly scale?: number;
}
