import fc from "fast-check";
import { expect, it } from "vitest";
import { placeTransposed, takeTransposed } from "./stacking.js";

const sizes = fc.record({
  rows: fc.integer({ min: 1, max: 40 }),
  columns: fc.integer({ min: 1, max: 40 }),
  start: fc.integer({ min: 0, max: 5 }),
  piece: fc.integer({ min: 1, max: 200 }),
});

it("a tensor is transposed into a stack in pieces of any length, and taken out again in rows", () => {
  fc.assert(
    fc.property(sizes, ({ rows, columns, start, piece }) => {
      const values = Float32Array.from({ length: rows * columns }, (_, i) => i + 1);
      const stack = new Float32Array(start + values.length + 3);
      for (let at = 0; at < values.length; at += piece) {
        placeTransposed(values.subarray(at, at + piece), at, stack, { start, rows, columns });
      }
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
          expect(stack[start + column * rows + row]).toBe(values[row * columns + column]);
        }
      }
      // Nothing outside its place.
      expect(stack.filter((value) => value !== 0)).toHaveLength(values.length);
      const back = new Float32Array(values.length);
      const rowsAtATime = Math.ceil(piece / columns);
      for (let row = 0; row < rows; row += rowsAtATime) {
        const into = back.subarray(row * columns, (row + rowsAtATime) * columns);
        takeTransposed(stack, { start, rows, columns }, row, into);
      }
      expect(back).toEqual(values);
    }),
    { numRuns: 60 },
  );
});
