import { type Bucket, isPicked, trainedTokensOf } from "../config/bucket.js";
import { LearnerError } from "../config/error.js";

/** The properties of a row that assigning it to a bucket needs. */
export interface DealtRow {
  readonly tokenIds: ArrayLike<number>;
  /** One entry per token, 1 where it is trained. Entry 0 is never trained, because nothing precedes it. */
  readonly lossMask: ArrayLike<number>;
  /** Temperature by which the model's logits are divided, > 0. Default 1. */
  readonly temperature?: number;
}

/** Position of a row: the sequence within its micro-batch, and the first token within that. */
export interface Place {
  readonly sequence: number;
  readonly offset: number;
  /** Number of the row's first tokens that lie in a shared prompt, the same for all its rows. Absent: the bucket shares none. */
  readonly shared?: number;
}

/** Rows that share one call of one compiled shape. */
export interface MicroBatch {
  readonly bucket: Bucket;
  /** Indices into the rows; at most `rowsOf(bucket)` of them. */
  readonly rowIndices: readonly number[];
  /** One per row. */
  readonly places: readonly Place[];
}

/**
 * Returns the number of trained tokens of a row if its bucket bounds it, else 0.
 * @throws {LearnerError} ROW_TOO_LONG
 */
export function checkedTrained(rows: readonly DealtRow[], index: number, bucket: Bucket): number {
  const row = rows[index];
  if (row === undefined || !isPicked(bucket)) return 0;
  const trained = trainedTokens(row);
  if (trained > trainedTokensOf(bucket))
    throw tooLong(
      `row ${index} trains ${trained} tokens, but its bucket has trainedTokens ${trainedTokensOf(bucket)}; raise that`,
      index,
      trained,
    );
  return trained;
}

/** Returns the number of trained tokens of a row. */
export function trainedTokens({ lossMask }: { readonly lossMask: ArrayLike<number> }): number {
  let sum = 0;
  for (let i = 0; i < lossMask.length; i++) sum += lossMask[i] ?? 0;
  return sum;
}

export function tooLong(message: string, rowIndex: number, tokens: number): LearnerError {
  return new LearnerError("ROW_TOO_LONG", message, { details: { rowIndex, tokens } });
}
