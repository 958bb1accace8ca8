import type { Bucket } from "./config.js";
import { LearnerError } from "./error.js";

/** What packing needs to know of a row; supervised and reinforcement rows both have it. */
export interface PackableRow {
  readonly tokenIds: ArrayLike<number>;
  /** One entry a token, 1 where it is trained. Entry 0 is never trained: nothing stands before it. */
  readonly lossMask: ArrayLike<number>;
  /** One entry a token, nats. */
  readonly rolloutLogprobs?: ArrayLike<number>;
  /** π_old, one entry a token, nats; absent: the rollout's. */
  readonly oldLogprobs?: ArrayLike<number>;
  readonly advantage?: number;
  /** π_old is the policy itself: the ratio of its tokens is 1. */
  readonly onPolicy?: boolean;
}

/** Rows that go through one call of one compiled shape. */
export interface MicroBatch {
  readonly bucket: Bucket;
  /** Indices into the packed rows; at most `bucket.rows` of them. */
  readonly rowIndices: readonly number[];
}

/** Host arrays of one micro-batch, row-major, rows padded with zeros to the bucket. */
export interface MicroBatchArrays {
  readonly tokenIds: Int32Array; // [rows, length]
  /** Entry (r, t) speaks of token t+1 of the row; so do those below. */
  readonly lossMask: Float32Array; // [rows, length-1]
  readonly rolloutLogprobs: Float32Array; // [rows, length-1]
  readonly oldLogprobs: Float32Array; // [rows, length-1]
  readonly advantages: Float32Array; // [rows, length-1]
  /** Weight in the loss of the whole batch; 0 where nothing is trained. */
  readonly tokenWeights: Float32Array; // [rows, length-1]
  readonly onPolicy: Float32Array; // [rows, length-1], 1 or 0
  /** For the host: index of the row that the token is of; -1 where there is none. */
  readonly rowOfToken: Int32Array; // [rows, length-1]
  /** For the host: place of the token in its row. */
  readonly placeInRow: Int32Array; // [rows, length-1]
}

/** What a compiled function may be given, one entry a token. */
export type MicroBatchInput = Exclude<keyof MicroBatchArrays, "tokenIds" | "rowOfToken" | "placeInRow">;

export function bucketName(bucket: Bucket): string {
  return `${bucket.rows}x${bucket.length}`;
}

/**
 * Deals rows into micro-batches: each row to the shortest bucket length that holds it, each length's
 * rows in their order to the largest bucket that they fill, the rest to the smallest that holds them.
 * Same rows and buckets, same micro-batches.
 * @throws {LearnerError} ROW_TOO_LONG
 */
export function packRows(
  rows: readonly { readonly tokenIds: ArrayLike<number> }[],
  buckets: readonly Bucket[],
): MicroBatch[] {
  const lengths = [...new Set(buckets.map((bucket) => bucket.length))].sort((a, b) => a - b);
  const byLength = new Map<number, number[]>(lengths.map((length) => [length, []]));
  rows.forEach((row, index) => {
    const length = lengths.find((candidate) => row.tokenIds.length <= candidate);
    if (length === undefined)
      throw new LearnerError(
        "ROW_TOO_LONG",
        `row ${index} has ${row.tokenIds.length} tokens and the longest bucket ${lengths.at(-1)}; declare a longer bucket or shorten prompts`,
        { details: { rowIndex: index, tokens: row.tokenIds.length } },
      );
    byLength.get(length)?.push(index);
  });
  const batches: MicroBatch[] = [];
  for (const [length, indices] of byLength) {
    const choices = buckets.filter((bucket) => bucket.length === length).sort((a, b) => a.rows - b.rows);
    let start = 0;
    while (start < indices.length) {
      const left = indices.length - start;
      const bucket = choices.findLast((choice) => choice.rows <= left) ?? choices[0];
      if (bucket === undefined) break;
      const end = Math.min(start + bucket.rows, indices.length);
      batches.push({ bucket, rowIndices: indices.slice(start, end) });
      start = end;
    }
  }
  return batches;
}

/**
 * Lays the rows of one micro-batch out for the compiled function.
 * @param weights one a packed row, from `aggregationWeights` over the whole batch
 */
export function fillMicroBatch(
  batch: MicroBatch,
  rows: readonly PackableRow[],
  weights: Float64Array,
): MicroBatchArrays {
  const { rows: count, length } = batch.bucket;
  const width = length - 1;
  const arrays = {
    tokenIds: new Int32Array(count * length),
    lossMask: new Float32Array(count * width),
    rolloutLogprobs: new Float32Array(count * width),
    oldLogprobs: new Float32Array(count * width),
    advantages: new Float32Array(count * width),
    tokenWeights: new Float32Array(count * width),
    onPolicy: new Float32Array(count * width),
    rowOfToken: new Int32Array(count * width).fill(-1),
    placeInRow: new Int32Array(count * width),
  };
  batch.rowIndices.forEach((rowIndex, r) => {
    const row = rows[rowIndex];
    if (row === undefined) throw new LearnerError("SHAPE_MISMATCH", `no row ${rowIndex} to pack`);
    arrays.tokenIds.set(row.tokenIds, r * length);
    const { rolloutLogprobs, oldLogprobs = rolloutLogprobs } = row;
    for (let t = 1; t < row.tokenIds.length; t++) {
      const at = r * width + t - 1;
      arrays.lossMask[at] = row.lossMask[t] ?? 0;
      arrays.rolloutLogprobs[at] = rolloutLogprobs?.[t] ?? 0;
      arrays.oldLogprobs[at] = oldLogprobs?.[t] ?? 0;
      arrays.advantages[at] = row.advantage ?? 0;
      arrays.tokenWeights[at] = weights[rowIndex] ?? 0;
      arrays.onPolicy[at] = row.onPolicy === true ? 1 : 0;
      arrays.rowOfToken[at] = rowIndex;
      arrays.placeInRow[at] = t;
    }
  });
  return arrays;
}

/** Trained tokens of a row. */
export function trainedTokens(row: { readonly lossMask: ArrayLike<number> }): number {
  let sum = 0;
  for (let i = 0; i < row.lossMask.length; i++) sum += row.lossMask[i] ?? 0;
  return sum;
}
