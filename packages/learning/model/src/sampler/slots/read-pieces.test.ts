import fc from "fast-check";
import { expect, it } from "vitest";
import { packedPieces, paddedPieces } from "./read-pieces.js";

const table = { slots: 5, length: 16 };

interface Row {
  readonly slot: number;
  readonly past: number;
  readonly tokens: number;
}

const rowsOf = (rows: readonly Row[]) =>
  rows.map(({ slot, past, tokens }) => ({
    pages: [slot],
    past,
    tokenIds: Array.from({ length: tokens }, (_, i) => 100 * slot + past + i),
  }));

/** Requests own a slot each, and what they read ends before the spare entry. */
const someRows = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 1 }).chain((slots) =>
  fc.tuple(
    ...slots.map((slot) =>
      fc.nat({ max: 12 }).chain((past) =>
        fc.record({
          slot: fc.constant(slot),
          past: fc.constant(past),
          tokens: fc.integer({ min: 1, max: 15 - past }),
        }),
      ),
    ),
  ),
);

/** The table after the writes, in any order: which token an entry holds. */
function written(ids: Int32Array, targets: Int32Array, isReversed: boolean): Map<string, number> {
  const order = Array.from(ids.keys());
  if (isReversed) order.reverse();
  return new Map(order.map((at) => [`${targets[2 * at]}.${targets[2 * at + 1]}`, ids[at] as number]));
}

function expectWritten(rows: readonly Row[], ids: Int32Array, targets: Int32Array): void {
  for (const isReversed of [false, true]) {
    const entries = written(ids, targets, isReversed);
    for (const { slot, past, tokens } of rows)
      for (let i = 0; i < tokens; i++) expect(entries.get(`${slot}.${past + i}`)).toBe(100 * slot + past + i);
    // What is valid of a slot stays, and slots without a row get nothing but their spare entry.
    const owned = new Map(rows.map((row) => [row.slot, row]));
    for (const key of entries.keys()) {
      const [slot = 0, column = 0] = key.split(".").map(Number);
      expect(column).toBeLessThan(table.length);
      const row = owned.get(slot);
      if (row === undefined) expect(column).toBe(table.length - 1);
      else expect(column).toBeGreaterThanOrEqual(row.past);
    }
  }
}

it("writes padded pieces behind what their slots hold, and padding where nothing is valid", () => {
  fc.assert(
    fc.property(someRows, fc.nat({ max: 3 }), (rows, more) => {
      const length = Math.max(...rows.map(({ tokens }) => tokens)) + more;
      const given = rowsOf(rows);
      const last = given.at(-1);
      // Rows without a request repeat the last one.
      const all = last === undefined ? given : [...given, ...Array.from({ length: more }, () => last)];
      const { ids, lengths, targets } = paddedPieces(all, { table, count: all.length, length });
      expect([...lengths.slice(0, rows.length)]).toEqual(rows.map(({ tokens }) => tokens));
      expectWritten(rows, ids, targets);
    }),
  );
});

it("writes packed pieces behind what their slots hold, and padding where nothing is valid", () => {
  fc.assert(
    fc.property(someRows, fc.nat({ max: 20 }), (rows, more) => {
      const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
      const size = { table, count: 6, length: tokens + more };
      const { ids, segments, positions, targets, starts, lengths, slots, pasts } = packedPieces(
        rowsOf(rows),
        size,
      );
      rows.forEach((row, i) => {
        const start = starts[i] as number;
        expect([lengths[i], slots[i], pasts[i]]).toEqual([row.tokens, row.slot, row.past]);
        for (let place = 0; place < row.tokens; place++)
          expect([segments[start + place], positions[start + place]]).toEqual([i + 1, row.past + place]);
      });
      expect([...segments.slice(tokens)].every((segment) => segment === 0)).toBe(true);
      expectWritten(rows, ids, targets);
    }),
  );
});

it("writes nothing but spare entries where no row has tokens", () => {
  const size = { table, count: 4, length: 8 };
  expectWritten([], new Int32Array(8), packedPieces([], size).targets);
  expectWritten([], new Int32Array(32), paddedPieces([], size).targets);
});
