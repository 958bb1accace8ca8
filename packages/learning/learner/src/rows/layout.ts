import { type Bucket, isPicked, placesOf, rowsOf, sharingOf, trainedTokensOf } from "../config/bucket.js";
import { LearnerError } from "../config/error.js";
import type { DealtRow, MicroBatch } from "./dealt-row.js";

/** Positions of rows, and which tokens get logits at which temperature, row-major; for the fields that a bucket needs see `passInputs`. */
export interface Layout {
  readonly tokenIds: Int32Array; // [sequences, length]; with shared prompts [tokens], as the model's SharedPrompts
  readonly segments: Int32Array; // [sequences, length], 1, 2, … per row; 0 after the last row
  readonly positions: Int32Array; // [sequences, length]
  readonly promptLengths: Int32Array; // [prompts]
  readonly picks: Int32Array; // [trained], indices into the flat tokens: where the token before a trained one lies
  readonly targets: Int32Array; // [trained], the trained tokens
  readonly slots: Int32Array; // [rows, length-1], index into picks of token t+1 of the row; 0 where it is not trained
  /** 1 / temperature of the logits that are computed; 1 for those of no row. */
  readonly logitScales: Float32Array; // [trained]; without picks [rows · (length-1)]
}

/** Lays the tokens of one micro-batch out. */
export function layOut(batch: MicroBatch, rows: readonly DealtRow[]): Layout {
  const { bucket, rowIndices, places } = batch;
  const { rows: sequences, length, packedRows } = bucket;
  const width = length - 1;
  const sharing = sharingOf(bucket);
  const count = isPicked(bucket) ? trainedTokensOf(bucket) : 0;
  const packed = packedRows === undefined ? 0 : sequences * length;
  const layout: Layout = {
    tokenIds: new Int32Array(placesOf(bucket)),
    segments: new Int32Array(packed),
    positions: new Int32Array(packed),
    // A missing prompt gets one token, which nothing attends to, because every position needs at least one key.
    promptLengths: new Int32Array(sharing?.prompts ?? 0).fill(1),
    picks: new Int32Array(count),
    targets: new Int32Array(count),
    slots: new Int32Array(isPicked(bucket) ? rowsOf(bucket) * width : 0),
    logitScales: new Float32Array(isPicked(bucket) ? count : sequences * width).fill(1),
  };
  let picked = 0;
  const numbers = segmentNumbers(places);
  rowIndices.forEach((rowIndex, r) => {
    const row = rows[rowIndex];
    const place = places[r];
    if (row === undefined || place === undefined)
      throw new LearnerError("SHAPE_MISMATCH", `no row ${rowIndex} to pack`);
    const at = placer(bucket, place, layout);
    const scale = 1 / (row.temperature ?? 1);
    if (!isPicked(bucket)) {
      // Without sharing or packing the row stays as it is.
      layout.logitScales.fill(scale, r * width, (r + 1) * width);
      layout.tokenIds.set(row.tokenIds, at(0));
      return;
    }
    for (let t = 0; t < row.tokenIds.length; t++) {
      const flat = at(t);
      layout.tokenIds[flat] = row.tokenIds[t] as number;
      if (packed > 0) {
        layout.segments[flat] = numbers[r] as number;
        layout.positions[flat] = t;
      }
      if (t === 0 || row.lossMask[t] !== 1) continue;
      layout.picks[picked] = at(t - 1);
      layout.targets[picked] = row.tokenIds[t] as number;
      layout.slots[r * width + t - 1] = picked;
      layout.logitScales[picked] = scale;
      picked += 1;
    }
  });
  return layout;
}

/** Numbers rows 1, 2, … in the order of their positions, as attention over packed rows expects. */
function segmentNumbers(places: MicroBatch["places"]): number[] {
  const order = places
    .map((place, row) => ({ ...place, row }))
    .sort((a, b) => a.sequence - b.sequence || a.offset - b.offset);
  const numbers = new Array<number>(places.length).fill(0);
  order.forEach(({ row }, index) => {
    numbers[row] = index + 1;
  });
  return numbers;
}

/** Returns the index of token t of a row in the flat tokens. */
function placer(
  bucket: Bucket,
  { sequence, offset, shared = 0 }: MicroBatch["places"][number],
  { promptLengths }: Layout,
): (t: number) => number {
  const sharing = sharingOf(bucket);
  if (sharing === undefined) {
    const start = sequence * bucket.length + offset;
    return (t) => start + t;
  }
  const { prompts, promptLength, replies, replyLength } = sharing;
  const prompt = Math.floor(sequence / replies);
  promptLengths[prompt] = shared;
  const reply = prompts * promptLength + sequence * replyLength - shared;
  return (t) => (t < shared ? prompt * promptLength + t : reply + t);
}

/** Selects the fields of a layout that a bucket's functions take. */
export function layoutInputs(bucket: Bucket, layout: Layout): Partial<Layout> {
  const { tokenIds, segments, positions, promptLengths, picks, targets, slots, logitScales } = layout;
  return {
    tokenIds,
    logitScales,
    ...(bucket.packedRows === undefined ? {} : { segments, positions }),
    ...(bucket.sharedPrompts === undefined ? {} : { promptLengths }),
    ...(isPicked(bucket) ? { picks, targets, slots } : {}),
  };
}
