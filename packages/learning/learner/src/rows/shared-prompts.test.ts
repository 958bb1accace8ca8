import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bucket, rowsOf, trainedTokensOf } from "../config/bucket.js";
import { trainedTokens } from "./dealt-row.js";
import { layOut } from "./layout.js";
import { packRows } from "./row-packing.js";
import { promptTokensOf } from "./shared-prompts.js";

/** `prompt` tokens of one kind, then `reply` trained ones that say which row they are of. */
const rowOf = (kind: number, prompt: number, reply: number, own: number) => ({
  tokenIds: [...Array<number>(prompt).fill(kind), ...Array<number>(reply).fill(own)],
  lossMask: [...Array<number>(prompt).fill(0), ...Array<number>(reply).fill(1)],
});

const shared = { rows: 4, length: 12, sharedPrompts: { length: 8, replies: 2 } };

describe("rows that share prompts", () => {
  it("are dealt once each, every reply behind its own prompt, within the limits of the bucket", () => {
    const someRow = fc.record({
      kind: fc.integer({ min: 1, max: 4 }),
      reply: fc.integer({ min: 1, max: 7 }),
    });
    fc.assert(
      fc.property(
        fc.array(someRow, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 7, max: 16 }),
        (specs, trained) => {
          const rows = specs.map(({ kind, reply }, i) => rowOf(kind, kind + 2, reply, 100 + i));
          const buckets = [
            { ...shared, trainedTokens: trained },
            { rows: 3, length: 13 },
          ];
          const batches = packRows(rows, buckets);
          expect(batches.flatMap(({ rowIndices }) => rowIndices).sort((a, b) => a - b)).toEqual(
            rows.map((_, index) => index),
          );
          for (const batch of batches) {
            const { bucket, rowIndices } = batch;
            expect(rowIndices.length).toBeLessThanOrEqual(rowsOf(bucket));
            const sum = rowIndices.reduce((all, i) => all + trainedTokens(rows[i] as (typeof rows)[0]), 0);
            if (bucket.sharedPrompts === undefined) continue;
            expect(sum).toBeLessThanOrEqual(trainedTokensOf(bucket));
            const layout = layOut(batch, rows);
            const promptPlaces = 2 * 8;
            rowIndices.forEach((index, r) => {
              const { kind, reply } = specs[index] as (typeof specs)[0];
              const sequence = batch.places[r]?.sequence ?? 0;
              const prompt = Math.floor(sequence / 2);
              expect(layout.promptLengths[prompt]).toBe(kind + 2);
              expect([...layout.tokenIds.slice(prompt * 8, prompt * 8 + kind + 2)]).toEqual(
                Array<number>(kind + 2).fill(kind),
              );
              const start = promptPlaces + sequence * 4;
              expect([...layout.tokenIds.slice(start, start + reply)]).toEqual(
                Array<number>(reply).fill(100 + index),
              );
            });
          }
        },
      ),
      { seed: 1 },
    );
  });

  it("get their first reply token's logits from the prompt's last place", () => {
    const rows = [rowOf(1, 3, 2, 50), rowOf(1, 3, 1, 60)];
    const [batch] = packRows(rows, [{ ...shared, trainedTokens: 4 }]);
    if (batch === undefined) throw new Error("no batch");
    const layout = layOut(batch, rows);
    expect([...layout.picks]).toEqual([2, 16, 2, 0]);
    expect([...layout.targets]).toEqual([50, 50, 60, 0]);
    expect([...layout.promptLengths]).toEqual([3, 1]);
    expect([...layout.slots.slice(0, 22)].map((slot, at) => [at, slot]).filter(([, slot]) => slot)).toEqual([
      [3, 1],
      [13, 2],
    ]);
  });

  it("go to a bucket without sharing where that computes no more", () => {
    const rows = [rowOf(1, 3, 2, 50), rowOf(1, 3, 1, 60), rowOf(2, 3, 1, 70)];
    const [first, ...more] = packRows(rows, [shared, { rows: 3, length: 6 }]);
    expect(first?.bucket.sharedPrompts).toBeUndefined();
    expect(first?.rowIndices).toEqual([0, 1, 2]);
    expect(more).toEqual([]);
  });

  it("that fit no bucket are refused", () => {
    expect(() => packRows([rowOf(1, 9, 1, 50)], [shared])).toThrow(
      /ROW_TOO_LONG.*no bucket with shared prompts/,
    );
  });

  it("count everything before the first trained token as prompt", () => {
    expect(promptTokensOf({ tokenIds: [1, 2, 3, 4], lossMask: [0, 0, 1, 0] })).toBe(2);
    expect(promptTokensOf({ tokenIds: [1, 2], lossMask: [0, 0] })).toBe(2);
  });
});

describe("a bucket with shared prompts", () => {
  it.each([
    [{ ...shared, packedRows: 2 }, /packedRows/],
    [{ ...shared, length: 8 }, /leaves no token/],
    [{ ...shared, rows: 3 }, /does not divide/],
  ])("is refused: %o", (bucket, message) => {
    expect(Bucket.safeParse(bucket).error?.message).toMatch(message);
  });
});
