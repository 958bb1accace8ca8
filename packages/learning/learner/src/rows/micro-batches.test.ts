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
    expect(() => packRows([rowOf(9)], [{ rows: 1, length: 8 }])).toThrow(
      /ROW_TOO_LONG.*9 tokens.*bucket has 8/,
    );
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

describe("a packed bucket", () => {
  it("holds every row once, none over another, within its rows, lengths and trained tokens", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 2, max: 16 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 15, max: 60 }),
        (lengths, sequences, packedRows, trained) => {
          const rows = lengths.map((n) => rowOf(n));
          const bucket = { rows: sequences, length: 20, packedRows, trainedTokens: trained };
          const batches = packRows(rows, [bucket]);
          expect(batches.flatMap((b) => b.rowIndices).sort((a, b) => a - b)).toEqual(
            lengths.map((_, i) => i),
          );
          for (const batch of batches) {
            expect(batch.rowIndices.length).toBeLessThanOrEqual(packedRows);
            const { layout } = fillMicroBatch(batch, rows, new Float64Array(rows.length));
            const tokens = batch.rowIndices.reduce((sum, i) => sum + (lengths[i] ?? 0), 0);
            // A row over another would hide some of the other's tokens.
            expect(layout.segments.filter((segment) => segment > 0)).toHaveLength(tokens);
            expect(tokens - batch.rowIndices.length).toBeLessThanOrEqual(trained);
          }
        },
      ),
    );
  });

  it("refuses a row that trains more tokens than it counts", () => {
    const bucket = { rows: 1, length: 20, packedRows: 2, trainedTokens: 5 };
    expect(() => packRows([rowOf(9)], [bucket])).toThrow(/ROW_TOO_LONG.*trains 8 tokens.*trainedTokens 5/);
  });

  it("lays rows one behind the other, with the places of trained tokens' predecessors", () => {
    const rows = [rowOf(3, 7), rowOf(4, 9)];
    const [batch] = packRows(rows, [{ rows: 1, length: 8, packedRows: 3, trainedTokens: 6 }]);
    if (batch === undefined) throw new Error("no batch");
    const { layout } = fillMicroBatch(batch, rows, Float64Array.of(1, 1));
    expect(batch.rowIndices).toEqual([1, 0]);
    expect([...layout.tokenIds]).toEqual([9, 9, 9, 9, 7, 7, 7, 0]);
    expect([...layout.segments]).toEqual([1, 1, 1, 1, 2, 2, 2, 0]);
    expect([...layout.positions]).toEqual([0, 1, 2, 3, 0, 1, 2, 0]);
    expect([...layout.picks]).toEqual([0, 1, 2, 4, 5, 0]);
    expect([...layout.targets]).toEqual([9, 9, 9, 7, 7, 0]);
    expect([...layout.slots.slice(0, 14)]).toEqual([0, 1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0]);
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
