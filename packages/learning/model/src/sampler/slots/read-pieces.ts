import type { DeviceRow } from "../calls/sampling-device.js";
import type { TableShape } from "./table-cache.js";

/*
 * The inputs of calls that read pieces of prompts into a table of slots. Padding is written, too, because a write that is skipped
 * costs a pass over the whole table, and many writes to one entry wait for each other: it continues its piece, behind what is
 * valid of the slot, and the next call overwrites it. The last entry of a slot, which is never attended to, takes what does not fit.
 */

type Piece = Pick<DeviceRow, "pages" | "past" | "tokenIds">;

/** Pieces padded to `length` each: ids [R, T], lengths [R], targets [R · T, 2]. Without rows: padding that no request sees. */
export function paddedPieces(
  rows: readonly Piece[],
  { table, count, length }: { readonly table: TableShape; readonly count: number; readonly length: number },
): Record<"ids" | "lengths" | "targets", Int32Array> {
  const [ids, targets] = [new Int32Array(count * length), new Int32Array(2 * count * length)];
  for (let row = 0; row < count; row++) {
    ids.set(rows[row]?.tokenIds ?? [], row * length);
    for (let place = 0; place < length; place++)
      writeTarget(targets, row * length + place, rows[row], place, table);
  }
  return {
    ids,
    lengths: Int32Array.from({ length: count }, (_, row) => rows[row]?.tokenIds.length ?? 0),
    targets,
  };
}

/** Pieces end to end in a call of `count` pieces and `length` tokens at most; see tablePackedReadFunction. */
export function packedPieces(
  rows: readonly Piece[],
  { table, count, length }: { readonly table: TableShape; readonly count: number; readonly length: number },
): Record<
  "ids" | "segments" | "positions" | "targets" | "starts" | "lengths" | "slots" | "pasts",
  Int32Array
> {
  const ofTokens = () => new Int32Array(length);
  const ofRows = () => new Int32Array(count);
  const [ids, segments, positions, targets] = [
    ofTokens(),
    ofTokens(),
    ofTokens(),
    new Int32Array(2 * length),
  ];
  const [starts, lengths, slots, pasts] = [ofRows(), ofRows(), ofRows(), ofRows()];
  let at = 0;
  rows.forEach(({ tokenIds, past, pages }, row) => {
    ids.set(tokenIds, at);
    segments.fill(row + 1, at, at + tokenIds.length);
    starts[row] = at;
    lengths[row] = tokenIds.length;
    slots[row] = pages[0] as number;
    pasts[row] = past;
    for (let place = 0; place < tokenIds.length; place++, at++) {
      positions[at] = past + place;
      writeTarget(targets, at, rows[row], place, table);
    }
  });
  const last = rows.at(-1);
  for (let place = last?.tokenIds.length ?? 0; at < length; place++, at++)
    writeTarget(targets, at, last, place, table);
  return { ids, segments, positions, targets, starts, lengths, slots, pasts };
}

/** Sets the slot and the column of the token at `at`, which is at `place` of its piece. */
function writeTarget(
  targets: Int32Array,
  at: number,
  piece: Piece | undefined,
  place: number,
  { slots, length }: TableShape,
): void {
  const spare = length - 1;
  targets[2 * at] = piece === undefined ? at % slots : (piece.pages[0] as number);
  targets[2 * at + 1] = piece === undefined ? spare : Math.min(spare, piece.past + place);
}
