import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillMicroBatch } from "./micro-batches.js";
import { packRows } from "./row-packing.js";

const rowOf = (tokens: number, fill = 1) => ({
  tokenIds: Int32Array.from({ length: tokens }, () => fill),
  lossMask: Uint8Array.from({ length: tokens }, (_, i) => (i === 0 ? 0 : 1)),
  rolloutLogprobs: Float32Array.from({ length: tokens }, (_, i) => -i),
  advantage: fill,
});

describe("packRows", () => {
  it("puts each row into the shortest length that holds it and fills the largest buckets first", () => {
    const buckets = [
      { rows: 4, length: 8 },
      { rows: 1, length: 8 },
      { rows: 2, length: 16 },
    ];
    const rows = [8, 9, 3, 4, 5, 16, 2].map((tokens) => rowOf(tokens));
    const batches = packRows(rows, buckets);
    expect(batches.map((b) => [b.bucket.rows, b.bucket.length, b.rowIndices])).toEqual([
      [4, 8, [0, 2, 3, 4]],
      [1, 8, [6]],
      [2, 16, [1, 5]],
    ]);
  });

  it("refuses a row that fits no bucket, naming both lengths", () => {
    expect(() => packRows([rowOf(9)], [{ rows: 1, length: 8 }])).toThrow(/ROW_TOO_LONG.*9 tokens.*bucket 8/);
  });

  it("packs every row exactly once, whatever the rows and buckets", () => {
    const bucket = fc.record({ rows: fc.integer({ min: 1, max: 9 }), length: fc.constantFrom(4, 8, 16) });
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 2, max: 16 }), { maxLength: 40 }),
        fc.array(bucket, { maxLength: 4 }),
        (lengths, extra) => {
          const buckets = [...extra, { rows: 3, length: 16 }];
          const batches = packRows(
            lengths.map((n) => rowOf(n)),
            buckets,
          );
          const packed = batches.flatMap((b) => b.rowIndices).sort((a, b) => a - b);
          expect(packed).toEqual(lengths.map((_, index) => index));
          for (const b of batches) {
            expect(b.rowIndices.length).toBeLessThanOrEqual(b.bucket.rows);
            for (const i of b.rowIndices) expect(lengths[i]).toBeLessThanOrEqual(b.bucket.length);
          }
        },
      ),
    );
  });
});

describe("fillMicroBatch", () => {
  it("shifts what speaks of a token onto the position that predicts it and pads with zeros", () => {
    const rows = [rowOf(3, 7), rowOf(4, 9)];
    const [batch] = packRows([...rows], [{ rows: 3, length: 5 }]);
    if (batch === undefined) throw new Error("no batch");
    const arrays = fillMicroBatch(batch, rows, Float64Array.of(0.25, 0.5));
    expect([...arrays.layout.tokenIds]).toEqual([7, 7, 7, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0]);
    expect([...arrays.lossMask]).toEqual([1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0]);
    expect([...arrays.rolloutLogprobs]).toEqual([-1, -2, 0, 0, -1, -2, -3, 0, 0, 0, 0, 0]);
    expect([...arrays.oldLogprobs]).toEqual([...arrays.rolloutLogprobs]);
    expect([...arrays.advantages]).toEqual([7, 7, 0, 0, 9, 9, 9, 0, 0, 0, 0, 0]);
    expect([...arrays.tokenWeights]).toEqual([0.25, 0.25, 0, 0, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0]);
  });
});
