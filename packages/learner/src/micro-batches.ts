import type { Bucket } from "./config.js";
import { LearnerError } from "./error.js";

/** What packing needs to know of a row; supervised and reinforcement rows both have it. */
export interface PackableRow {
  readonly tokenIds: ArrayLike<number>;
  /** One entry a token, 1 where it is trained. Entry 0 is never trained: nothing stands before it. */
  readonly lossMask: ArrayLike<number>;
  /** One entry a token, nats. */
  readonly rolloutLogprobs?: ArrayLike<number>;
  readonly advantage?: number;
  /** The ratio of its tokens is 1, whatever the sampler's log-probabilities. */
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
  readonly advantages: Float32Array; // [rows]
  readonly rowWeights: Float32Array; // [rows]
  readonly onPolicy: Float32Array; // [rows], 1 or 0
}

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
    advantages: new Float32Array(count),
    rowWeights: new Float32Array(count),
    onPolicy: new Float32Array(count),
  };
  batch.rowIndices.forEach((rowIndex, r) => {
    const row = rows[rowIndex];
    if (row === undefined) throw new LearnerError("SHAPE_MISMATCH", `no row ${rowIndex} to pack`);
    arrays.tokenIds.set(row.tokenIds, r * length);
    arrays.advantages[r] = row.advantage ?? 0;
    arrays.rowWeights[r] = weights[rowIndex] ?? 0;
    arrays.onPolicy[r] = row.onPolicy === true ? 1 : 0;
    for (let t = 1; t < row.tokenIds.length; t++) {
      arrays.lossMask[r * width + t - 1] = row.lossMask[t] ?? 0;
      arrays.rolloutLogprobs[r * width + t - 1] = row.rolloutLogprobs?.[t] ?? 0;
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
