import type * as tf from "@tensorflow/tfjs-core";
import type { Segments } from "./segments.js";

/** Some rows of a table, each for one sequence. */
export interface TableRows {
  /** int32 [B], all different: the row of each sequence. */
  readonly rows: tf.Tensor;
  /** int32 [S]: the sequence of each of the table's rows; -1: none. */
  readonly sequences: tf.Tensor;
}

/** Keys and values before the rows' own ones, shared by several rows. */
export interface AttentionPrefix {
  /** [P, Lp, G, d]; rows come in P groups of equal size, and every query of a group attends to its group's prefix. */
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
  /** int32 [P], each at least 1: keys after that are padding. Absent: there is no padding. */
  readonly lengths?: tf.Tensor;
  /** Set if `keys` and `values` are tables [S, Lp, G, d] with a row for each of the P prefixes. It has no gradient. */
  readonly table?: TableRows;
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
  /** Set if key and value are tables [S, Tk, G, d] with a row for each sequence. Needs `lengths` of keys; it has no gradient. */
  readonly table?: TableRows;
  /** Several rows packed into each sequence: a query attends only to its own segment. Needs `causal`. */
  readonly segments?: Segments;
  /** Additional keys and values that come first. Needs `causal`. */
  readonly prefix?: AttentionPrefix;
  /** What precedes each segment. Needs `segments` of one sequence; has no gradient. */
  readonly past?: AttentionPast;
  /** Factor on the scores; default 1 / √d. */
  readonly scale?: number;
}
