import { scatterRows, tf } from "@palimpsest/jit";
import { part } from "../weights/packed-layers.js";
import type { Memory } from "./layer-walk.js";

/*
 * Attention of one token per row to the copied part of the cache and to the tokens that this call has sampled before. Their keys
 * and values are either written into the copy or kept beside it. Written, a step takes two products instead of four and copies
 * only its own entry; that needs row writes in place, which mode graph has outside loops.
 */

export interface StepAttention {
  /** [S·KV, group, hd] */
  readonly mixed: tf.Tensor;
  /** With this step's entry: all entries [S·KV, T, hd] if they are written, otherwise those beside the copy. */
  readonly memory: Memory;
}

/** Where a step's entries are written, and what its tokens may not attend to. */
export interface StepPlace {
  /** int32 [S·KV, 2]: row of the copy and entry in it. */
  readonly targets: tf.Tensor;
  /** For each window float32 [S, 1, T]: -1e9 after the token itself, and before its window. */
  readonly hidden: readonly tf.Tensor[];
}

/**
 * Places of all steps of a call, computed at once. Rows beyond their limit, whose tokens are ignored, write to their last entry.
 * @param positions int32 [S]: number of entries before the call
 * @param windows   those of the kinds of attention
 */
export function writePlan(
  positions: tf.Tensor,
  steps: number,
  length: number,
  kvHeads: number,
  windows: readonly (number | undefined)[],
): (step: number) => StepPlace {
  const [rows = 0] = positions.shape;
  const places = positions
    .reshape([1, rows, 1])
    .add(tf.range(0, steps, 1, "int32").reshape([steps, 1, 1]))
    .minimum(tf.scalar(length - 1, "int32")); // [steps, S, 1]
  const entries = tf.range(0, length, 1, "int32").reshape([1, 1, length]);
  const hidden = windows.map((window) => unseen(places, entries, places.less(entries), window)); // [steps, S, T]
  const zeros = tf.zeros([steps, rows, kvHeads], "int32");
  const columns = places.add(zeros);
  const heads = tf
    .range(0, rows * kvHeads, 1, "int32")
    .reshape([1, rows, kvHeads])
    .add(zeros);
  const targets = tf.stack([heads, columns], -1).reshape([steps, rows * kvHeads, 2]);
  return (step) => ({
    targets: part(targets, 0, step, 1).reshape([rows * kvHeads, 2]),
    hidden: hidden.map((of) => part(of, 0, step, 1).reshape([rows, 1, length])),
  });
}

/**
 * float32, -1e9 at entries that a position does not see.
 * @param positions int32, broadcasts with the entries
 * @param isHidden  bool, their common shape: what no position sees
 */
export function unseen(
  positions: tf.Tensor,
  entries: tf.Tensor,
  isHidden: tf.Tensor,
  window: number | undefined,
): tf.Tensor {
  const all =
    window === undefined
      ? isHidden
      : tf.logicalOr(isHidden, positions.sub(entries).greaterEqual(tf.scalar(window, "int32")));
  return all.toFloat().mul(-1e9);
}

/**
 * Writes each row's entry into its memory and attends to all of it.
 * @param query   [S·KV, group, hd]
 * @param fresh   [S·KV, hd]
 * @param targets int32 [S·KV, 2]
 * @param hidden  float32 [S, 1, T]
 */
export function attendWritten(
  query: tf.Tensor,
  before: Memory,
  fresh: Memory,
  targets: tf.Tensor,
  hidden: tf.Tensor,
): StepAttention {
  const keys = scatterRows(before.keys, targets, fresh.keys);
  const values = scatterRows(before.values, targets, fresh.values);
  const shares = masked(tf.matMul(query, keys, false, true), hidden).softmax(-1);
  return { mixed: tf.matMul(shares, values), memory: { keys, values } };
}

/**
 * Attends to memory that is only read and to entries beside it.
 * @param beside of earlier steps of the call [S·KV, step, hd]; absent in its first
 * @param hidden float32 [S, 1, T]: -1e9 at entries of `past` that are not valid or before the window
 * @param besideHidden float32 [1, 1, step + 1]: the same of entries beside it; absent: all are seen
 */
export function attendBeside(
  query: tf.Tensor,
  past: Memory,
  beside: Memory | undefined,
  fresh: Memory,
  hidden: tf.Tensor,
  besideHidden: tf.Tensor | undefined,
): StepAttention {
  const joined = (earlier: tf.Tensor | undefined, entry: tf.Tensor) => {
    const [rows = 0, width = 0] = entry.shape;
    const last = entry.reshape([rows, 1, width]);
    return earlier === undefined ? last : tf.concat([earlier, last], 1);
  };
  const memory = { keys: joined(beside?.keys, fresh.keys), values: joined(beside?.values, fresh.values) };
  const [, pastLength = 0] = past.keys.shape;
  const [, steps = 0] = memory.keys.shape;
  const pastScores = masked(tf.matMul(query, past.keys, false, true), hidden);
  const besideScores = tf.matMul(query, memory.keys, false, true);
  const ownScores = besideHidden === undefined ? besideScores : besideScores.add(besideHidden);
  const shares = tf.concat([pastScores, ownScores], -1).softmax(-1);
  const mixed = tf
    .matMul(part(shares, 2, 0, pastLength), past.values)
    .add(tf.matMul(part(shares, 2, pastLength, steps), memory.values));
  return { mixed, memory };
}

/** @param scores [S·KV, group, T]. @param hidden [S, 1, T] */
function masked(scores: tf.Tensor, hidden: tf.Tensor): tf.Tensor {
  const [rows = 0, , length = 0] = hidden.shape;
  return scores
    .reshape([rows, scores.size / (rows * length), length])
    .add(hidden)
    .reshape(scores.shape);
}
