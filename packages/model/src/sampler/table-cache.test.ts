import { tf } from "@palimpsest/jit";
import { expect, it } from "vitest";
import { readPlan, writePieces } from "./table-cache.js";

const shape = { slots: 5, length: 8 };
const pieceLength = 3;

interface Row {
  readonly slot: number;
  readonly past: number;
  readonly length: number;
  readonly source: number;
}

/** A table whose entry at a slot and column is 10 · slot + column, after pieces of 100 · row + place went in. */
function written(rows: readonly Row[], hasSources: boolean): number[][] {
  return tf.tidy(() => {
    const ints = (of: (row: Row) => number) => tf.tensor1d(rows.map(of), "int32");
    const sources = hasSources ? { sources: ints(({ source }) => source) } : {};
    const given = {
      slots: ints(({ slot }) => slot),
      pasts: ints(({ past }) => past),
      lengths: ints(({ length }) => length),
    };
    const plan = readPlan(shape, { ...given, ...sources }, pieceLength);
    const entries = Array.from(
      { length: shape.slots * shape.length },
      (_, i) => 10 * Math.floor(i / 8) + (i % 8),
    );
    const table = tf.tensor4d(entries, [shape.slots, shape.length, 1, 1]);
    // What pads a piece is no number, and comes nowhere.
    const fresh = rows.flatMap(({ length }, row) =>
      [0, 1, 2].map((place) => (place < length ? 100 * (row + 1) + place : Number.NaN)),
    );
    const values = tf.tensor3d(fresh, [fresh.length, 1, 1]);
    const { keys } = writePieces({ keys: table, values: table }, plan, { keys: values, values });
    return keys.reshape([shape.slots, shape.length]).arraySync() as number[][];
  });
}

const own = (slot: number) => Array.from({ length: shape.length }, (_, column) => 10 * slot + column);

it("writes pieces behind what is kept of the slots as they were before the call", () => {
  const rows: readonly Row[] = [
    { slot: 3, past: 2, length: 3, source: 1 },
    // Its slot is copied from in the same call, and itself read into.
    { slot: 1, past: 4, length: 2, source: 0 },
    // Nothing is read, though a past and a source are given.
    { slot: 4, past: 1, length: 0, source: 2 },
    { slot: 0, past: 7, length: 1, source: 0 },
  ];
  expect(written(rows, true)).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 400],
    [0, 1, 2, 3, 200, 201, 6, 7],
    own(2),
    [10, 11, 100, 101, 102, 15, 16, 17],
    own(4),
  ]);
});

it("takes the row that has tokens where another of its slot has none, and rows that are repeated once", () => {
  const empty = { slot: 2, past: 0, length: 0, source: 2 };
  const row = { slot: 2, past: 0, length: 2, source: 2 };
  const [, , slot] = written([empty, row], false);
  expect(slot).toEqual([200, 201, 22, 23, 24, 25, 26, 27]);
  expect(written([row, row, row], false)[2]?.slice(0, 3)).toEqual([100, 101, 22]);
});

it("leaves all slots as they are where no row has tokens, and fills one to its end", () => {
  expect(written([{ slot: 0, past: 1, length: 0, source: 0 }], true)).toEqual([0, 1, 2, 3, 4].map(own));
  expect(written([{ slot: 0, past: 5, length: 3, source: 4 }], true)[0]).toEqual([
    ...own(4).slice(0, 5),
    100,
    101,
    102,
  ]);
});
