import { expect, test } from "vitest";
import { matrixAt, matrixBytes, readRow, viewsOf, weightsPerPiece, writeMatrix } from "./matrix.js";

test("a large matrix is written in pieces, so that the event loop is not blocked by it", () => {
  const [rows, columns] = [4096, 256];
  const matrix = matrixAt("bfloat16", 0, rows, columns);
  const views = viewsOf(new SharedArrayBuffer(matrixBytes(matrix)));
  // Each value is exact in bfloat16.
  const values = Float32Array.from({ length: rows * columns }, (_, i) => (i % 256) - 128);
  const pieces = [...writeMatrix(views, matrix, values, false)];
  expect(pieces).toHaveLength((rows * columns) / weightsPerPiece);
  for (const row of [0, 7, 2047, 2048, rows - 1]) {
    const written = new Float32Array(columns);
    readRow(views, matrix, row, written);
    expect(written).toEqual(values.subarray(row * columns, (row + 1) * columns));
  }
});
