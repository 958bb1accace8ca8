import { rowsOf } from "../config/bucket.js";
import { LearnerError } from "../config/error.js";
import type { DealtRow, MicroBatch } from "./dealt-row.js";
import { type Layout, layOut } from "./layout.js";

/** The properties of a row that packing needs; supervised and reinforcement rows both have them. */
export interface PackableRow extends DealtRow {
  /** One entry per token, nats. */
  readonly rolloutLogprobs?: ArrayLike<number>;
  /** π_old, one entry per token, nats; absent: the sampler's log-probs. */
  readonly oldLogprobs?: ArrayLike<number>;
  readonly advantage?: number;
  /** Whether π_old is the policy itself, so that the ratio of its tokens is 1. */
  readonly onPolicy?: boolean;
}

/** Host arrays of one micro-batch, row-major, rows padded with zeros to the bucket; `rows` is `rowsOf(bucket)`. */
export interface MicroBatchArrays {
  readonly layout: Layout;
  /** Entry (r, t) belongs to token t+1 of the row; this holds for the arrays below, too. */
  readonly lossMask: Float32Array; // [rows, length-1]
  readonly rolloutLogprobs: Float32Array; // [rows, length-1]
  readonly oldLogprobs: Float32Array; // [rows, length-1]
  readonly advantages: Float32Array; // [rows, length-1]
  /** Weight in the loss of the whole batch; 0 where nothing is trained. */
  readonly tokenWeights: Float32Array; // [rows, length-1]
  readonly onPolicy: Float32Array; // [rows, length-1], 1 or 0
  /** For the host: index of the row that the token belongs to; -1 if there is none. */
  readonly rowOfToken: Int32Array; // [rows, length-1]
  /** For the host: index of the token in its row. */
  readonly placeInRow: Int32Array; // [rows, length-1]
}

/** The optional inputs of a compiled function, one entry per token. */
export type MicroBatchInput = Exclude<keyof MicroBatchArrays, "layout" | "rowOfToken" | "placeInRow">;

/**
 * Fills the arrays of one micro-batch for the compiled function.
 * @param weights one per packed row, from `aggregationWeights` over the whole batch
 */
export function fillMicroBatch(
  batch: MicroBatch,
  rows: readonly PackableRow[],
  weights: Float64Array,
): MicroBatchArrays {
  const count = rowsOf(batch.bucket);
  const width = batch.bucket.length - 1;
  const arrays = {
    layout: layOut(batch, rows),
    lossMask: new Float32Array(count * width),
    rolloutLogprobs: new Float32Array(count * width),
    oldLogprobs: new Float32Array(count * width),
    advantages: new Float32Array(count * width),
    tokenWeights: new Float32Array(count * width),
    onPolicy: new Float32Array(count * width),
    rowOfToken: new Int32Array(count * width).fill(-1),
    placeInRow: new Int32Array(count * width),
  };
  const { placeInRow } = arrays;
  batch.rowIndices.forEach((rowIndex, r) => {
    const row = rows[rowIndex];
    if (row === undefined) throw new LearnerError("SHAPE_MISMATCH", `no row ${rowIndex} to pack`);
    const { rolloutLogprobs, oldLogprobs = rolloutLogprobs } = row;
    const { length } = row.tokenIds;
    const start = r * width - 1;
    copyTokens(row.lossMask, arrays.lossMask, start, length);
    copyTokens(rolloutLogprobs, arrays.rolloutLogprobs, start, length);
    copyTokens(oldLogprobs, arrays.oldLogprobs, start, length);
    for (let t = 1; t < length; t++) placeInRow[start + t] = t;
    const all = [start + 1, start + Math.max(length, 1)] as const;
    arrays.advantages.fill(row.advantage ?? 0, ...all);
    arrays.tokenWeights.fill(weights[rowIndex] ?? 0, ...all);
    arrays.onPolicy.fill(row.onPolicy === true ? 1 : 0, ...all);
    arrays.rowOfToken.fill(rowIndex, ...all);
  });
  return arrays;
}

/** Copies what a row has of all its tokens but the first, which nothing precedes; absent: 0. */
function copyTokens(
  from: ArrayLike<number> | undefined,
  to: Float32Array,
  start: number,
  length: number,
): void {
  if (from === undefined) return;
  for (let t = 1; t < length; t++) to[start + t] = from[t] ?? 0;
}
