import { type Bucket, placesOf, rowsOf } from "../config/bucket.js";
import type { DealtRow } from "./dealt-row.js";
import { packRows } from "./row-packing.js";

/** What a plan knows of a row. */
export interface PlannedRow {
  readonly tokens: number;
  readonly trainedTokens: number;
  /** Number of its first tokens, all of the prompt, that it has in common with the rows of the same `beginning`. */
  readonly commonTokens: number;
  readonly beginning: number;
}

/** The micro-batches of one shape that rows are distributed over. */
export interface PlannedPass {
  readonly bucket: Bucket;
  readonly microBatches: number;
  /** Mean length of the row that a token belongs to. */
  readonly rowTokens: number;
}

export interface PlannedPasses {
  readonly passes: readonly PlannedPass[];
  /** Share of the computed token positions that hold tokens of rows, from 0 to 1. */
  readonly filled: number;
}

/**
 * Distributes rows over micro-batches as an optimizer step of them would be.
 * @throws {LearnerError} ROW_TOO_LONG
 */
export function plannedPasses(rows: readonly PlannedRow[], buckets: readonly Bucket[]): PlannedPasses {
  const isShared = buckets.some(({ sharedPrompts }) => sharedPrompts !== undefined);
  const sums = new Map<Bucket, { microBatches: number; tokens: number; squares: number }>();
  let places = 0;
  let tokens = 0;
  for (const { bucket, rowIndices, places: at } of packRows(
    rows.map(isShared ? wholeRow : bareRow),
    buckets,
  )) {
    const sum = sums.get(bucket) ?? { microBatches: 0, tokens: 0, squares: 0 };
    sums.set(bucket, sum);
    sum.microBatches += 1;
    places += placesOf(bucket);
    const replies = bucket.sharedPrompts?.replies ?? rowsOf(bucket);
    const shared = new Map<number, number>();
    rowIndices.forEach((index, r) => {
      const { sequence, shared: common = 0 } = at[r] ?? { sequence: 0 };
      const length = rows[index]?.tokens ?? 0;
      sum.tokens += length;
      sum.squares += length ** 2;
      tokens += length - common;
      shared.set(Math.floor(sequence / replies), common);
    });
    for (const common of shared.values()) tokens += common;
  }
  const passes = [...sums].map(([bucket, { microBatches, tokens: all, squares }]) => ({
    ...{ bucket, microBatches },
    rowTokens: all === 0 ? bucket.length : squares / all,
  }));
  return { passes, filled: places === 0 ? 1 : tokens / places };
}

/** Returns a row that is enough where no prompts are compared: its length, and its trained tokens as one number. */
function bareRow({ tokens, trainedTokens }: PlannedRow): DealtRow {
  return { tokenIds: { length: tokens }, lossMask: [trainedTokens] };
}

/** Returns a row with tokens, of which only the common ones are those of other rows. */
function wholeRow({ tokens, trainedTokens, commonTokens, beginning }: PlannedRow, index: number): DealtRow {
  const tokenIds = new Int32Array(tokens).fill(-1 - index);
  tokenIds.fill(beginning, 0, commonTokens);
  const lossMask = new Uint8Array(tokens);
  lossMask.fill(1, tokens - trainedTokens);
  return { tokenIds, lossMask };
}
