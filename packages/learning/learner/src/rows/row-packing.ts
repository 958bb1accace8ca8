import { type Bucket, isPicked, rowsOf, trainedTokensOf } from "../config/bucket.js";
import { checkedTrained, type DealtRow, type MicroBatch, type Place, tooLong } from "./dealt-row.js";
import { shareOut } from "./shared-prompts.js";

/**
 * Distributes rows over micro-batches. Rows with a common prompt go to a bucket that shares it if that computes fewer token
 * positions, see `shareOut`. Each of the others goes to the shortest bucket length that fits it. If a length has a packed
 * bucket, its rows go there, longest first, each to the first sequence with room. Otherwise they go in their order
 * to the largest bucket that they fill, and the rest to the smallest that fits them.
 * The same rows and buckets give the same micro-batches.
 * @throws {LearnerError} ROW_TOO_LONG
 */
export function packRows(rows: readonly DealtRow[], buckets: readonly Bucket[]): MicroBatch[] {
  const { batches, left } = shareOut(rows, buckets);
  const whole = buckets.filter(({ sharedPrompts }) => sharedPrompts === undefined);
  const lengths = [...new Set(whole.map((bucket) => bucket.length))].sort((a, b) => a - b);
  const byLength = new Map<number, number[]>(lengths.map((length) => [length, []]));
  for (const index of left) {
    const tokens = rows[index]?.tokenIds.length ?? 0;
    const length = lengths.find((candidate) => tokens <= candidate);
    if (length === undefined)
      throw tooLong(
        `row ${index} has ${tokens} tokens, but ${lengths.length === 0 ? "no bucket with shared prompts has room for it" : `the longest bucket has ${lengths.at(-1)}`}; add a longer bucket or shorten prompts`,
        index,
        tokens,
      );
    byLength.get(length)?.push(index);
  }
  const dealt = [...byLength].flatMap(([length, indices]) => {
    const choices = whole.filter((bucket) => bucket.length === length).sort((a, b) => a.rows - b.rows);
    const packed = choices.find((choice) => choice.packedRows !== undefined);
    return packed === undefined ? inOrder(rows, indices, choices) : firstFit(rows, indices, packed);
  });
  return [...batches, ...dealt];
}

function inOrder(
  rows: readonly DealtRow[],
  indices: readonly number[],
  choices: readonly Bucket[],
): MicroBatch[] {
  const batches: MicroBatch[] = [];
  for (let start = 0; start < indices.length; ) {
    const left = indices.length - start;
    const bucket = choices.findLast((choice) => choice.rows <= left) ?? choices[0];
    if (bucket === undefined) break;
    let end = start;
    let trained = 0;
    while (end < indices.length && end - start < bucket.rows) {
      const index = indices[end] as number;
      trained += checkedTrained(rows, index, bucket);
      if (isPicked(bucket) && trained > trainedTokensOf(bucket)) break;
      end += 1;
    }
    const rowIndices = indices.slice(start, end);
    batches.push({ bucket, rowIndices, places: rowIndices.map((_, sequence) => ({ sequence, offset: 0 })) });
    start = end;
  }
  return batches;
}

function firstFit(rows: readonly DealtRow[], indices: readonly number[], bucket: Bucket): MicroBatch[] {
  const lengthOf = (index: number): number => rows[index]?.tokenIds.length ?? 0;
  const order = [...indices].sort((a, b) => lengthOf(b) - lengthOf(a) || a - b);
  const open: { rowIndices: number[]; places: Place[]; used: number[]; trained: number }[] = [];
  for (const index of order) {
    const trained = checkedTrained(rows, index, bucket);
    const room = (used: number): boolean => used + lengthOf(index) <= bucket.length;
    let batch = open.find(
      (candidate) =>
        candidate.rowIndices.length < rowsOf(bucket) &&
        candidate.trained + trained <= trainedTokensOf(bucket) &&
        candidate.used.some(room),
    );
    if (batch === undefined) {
      batch = { rowIndices: [], places: [], used: Array<number>(bucket.rows).fill(0), trained: 0 };
      open.push(batch);
    }
    const sequence = batch.used.findIndex(room);
    batch.rowIndices.push(index);
    batch.places.push({ sequence, offset: batch.used[sequence] ?? 0 });
    batch.used[sequence] = (batch.used[sequence] ?? 0) + lengthOf(index);
    batch.trained += trained;
  }
  return open.map(({ rowIndices, places }) => ({ bucket, rowIndices, places }));
}
