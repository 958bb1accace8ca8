import { type Bucket, isPicked, rowsOf, trainedTokensOf } from "./bucket.js";
import { LearnerError } from "./error.js";

/** What dealing needs to know of a row. */
export interface DealtRow {
  readonly tokenIds: ArrayLike<number>;
  /** One entry a token, 1 where it is trained. Entry 0 is never trained: nothing stands before it. */
  readonly lossMask: ArrayLike<number>;
}

/** Where a row lies: in which sequence of its micro-batch, from which token on. */
export interface Place {
  readonly sequence: number;
  readonly offset: number;
}

/** Rows that go through one call of one compiled shape. */
export interface MicroBatch {
  readonly bucket: Bucket;
  /** Indices into the dealt rows; at most `rowsOf(bucket)` of them. */
  readonly rowIndices: readonly number[];
  /** One a row. */
  readonly places: readonly Place[];
}

/**
 * Deals rows into micro-batches: each row to the shortest bucket length that holds it. Where a length has a packed
 * bucket, its rows go there, longest first, each to the first sequence with room. Elsewhere they go in their order
 * to the largest bucket that they fill, the rest to the smallest that holds them.
 * Same rows and buckets, same micro-batches.
 * @throws {LearnerError} ROW_TOO_LONG
 */
export function packRows(rows: readonly DealtRow[], buckets: readonly Bucket[]): MicroBatch[] {
  const lengths = [...new Set(buckets.map((bucket) => bucket.length))].sort((a, b) => a - b);
  const byLength = new Map<number, number[]>(lengths.map((length) => [length, []]));
  rows.forEach((row, index) => {
    const length = lengths.find((candidate) => row.tokenIds.length <= candidate);
    if (length === undefined)
      throw tooLong(
        `row ${index} has ${row.tokenIds.length} tokens and the longest bucket ${lengths.at(-1)}; declare a longer bucket or shorten prompts`,
        index,
        row.tokenIds.length,
      );
    byLength.get(length)?.push(index);
  });
  return [...byLength].flatMap(([length, indices]) => {
    const choices = buckets.filter((bucket) => bucket.length === length).sort((a, b) => a.rows - b.rows);
    const packed = choices.find((choice) => choice.packedRows !== undefined);
    return packed === undefined ? inOrder(rows, indices, choices) : firstFit(rows, indices, packed);
  });
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

function checkedTrained(rows: readonly DealtRow[], index: number, bucket: Bucket): number {
  const row = rows[index];
  const trained = row === undefined ? 0 : trainedTokens(row);
  if (isPicked(bucket) && trained > trainedTokensOf(bucket))
    throw tooLong(
      `row ${index} trains ${trained} tokens and its bucket has trainedTokens ${trainedTokensOf(bucket)}; raise it`,
      index,
      trained,
    );
  return trained;
}

/** Trained tokens of a row. */
export function trainedTokens(row: { readonly lossMask: ArrayLike<number> }): number {
  let sum = 0;
  for (let i = 0; i < row.lossMask.length; i++) sum += row.lossMask[i] ?? 0;
  return sum;
}

function tooLong(message: string, rowIndex: number, tokens: number): LearnerError {
  return new LearnerError("ROW_TOO_LONG", message, { details: { rowIndex, tokens } });
}

/** Where rows lie and which tokens get logits, int32, row-major; what of it a bucket needs, see `passInputs`. */
export interface Layout {
  readonly tokenIds: Int32Array; // [sequences, length]
  readonly segments: Int32Array; // [sequences, length], 1, 2, … a row; 0 behind the last
  readonly positions: Int32Array; // [sequences, length]
  readonly picks: Int32Array; // [trained], indices into the flat tokens: where the token before a trained one lies
  readonly targets: Int32Array; // [trained], the trained tokens
  readonly slots: Int32Array; // [rows, length-1], index into picks of token t+1 of the row; 0 where it is not trained
}

/** Lays the tokens of one micro-batch out. */
export function layOut(batch: MicroBatch, rows: readonly DealtRow[]): Layout {
  const { bucket, rowIndices, places } = batch;
  const { rows: sequences, length } = bucket;
  const width = length - 1;
  const count = trainedTokensOf(bucket);
  const layout: Layout = {
    tokenIds: new Int32Array(sequences * length),
    segments: new Int32Array(sequences * length),
    positions: new Int32Array(sequences * length),
    picks: new Int32Array(isPicked(bucket) ? count : 0),
    targets: new Int32Array(isPicked(bucket) ? count : 0),
    slots: new Int32Array(isPicked(bucket) ? rowsOf(bucket) * width : 0),
  };
  let picked = 0;
  rowIndices.forEach((rowIndex, r) => {
    const row = rows[rowIndex];
    const place = places[r];
    if (row === undefined || place === undefined)
      throw new LearnerError("SHAPE_MISMATCH", `no row ${rowIndex} to pack`);
    const start = place.sequence * length + place.offset;
    layout.tokenIds.set(row.tokenIds, start);
    for (let t = 0; t < row.tokenIds.length; t++) {
      layout.segments[start + t] = r + 1;
      layout.positions[start + t] = t;
      if (!isPicked(bucket) || t === 0 || row.lossMask[t] !== 1) continue;
      layout.picks[picked] = start + t - 1;
      layout.targets[picked] = row.tokenIds[t] as number;
      layout.slots[r * width + t - 1] = picked;
      picked += 1;
    }
  });
  return layout;
}

/** What of a layout a bucket's functions take. */
export function layoutInputs(bucket: Bucket, layout: Layout): Partial<Layout> {
  const { tokenIds, segments, positions, picks, targets, slots } = layout;
  return {
    tokenIds,
    ...(bucket.packedRows === undefined ? {} : { segments, positions }),
    ...(isPicked(bucket) ? { picks, targets, slots } : {}),
  };
}
