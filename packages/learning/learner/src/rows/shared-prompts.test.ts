import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bucket, hasRoomFor, placesOf, rowsOf, trainedTokensOf } from "../config/bucket.js";
import { trainedTokens } from "./dealt-row.js";
import { layOut } from "./layout.js";
import { packRows } from "./row-packing.js";
import { promptTokensOf } from "./shared-prompts.js";

/** `prompt` tokens of one kind and `rest` untrained ones of the row's own, then `reply` trained ones that say which row they are of. */
const rowOf = (kind: number, prompt: number, reply: number, own: number, rest = 0) => ({
  tokenIds: [
    ...Array<number>(prompt).fill(kind),
    ...Array<number>(rest).fill(own + 500),
    ...Array<number>(reply).fill(own),
  ],
  lossMask: [...Array<number>(prompt + rest).fill(0), ...Array<number>(reply).fill(1)],
});

const shared = { rows: 4, length: 12, sharedPrompts: { length: 8, replies: 2 } };

describe("rows that share prompts", () => {
  it("are dealt once each, what they do not share behind what they share, within the limits of the bucket", () => {
    const someRow = fc.record({
      kind: fc.integer({ min: 1, max: 4 }),
      rest: fc.integer({ min: 0, max: 2 }),
      reply: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(
        fc.array(someRow, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 7, max: 16 }),
        (specs, trained) => {
          const rows = specs.map(({ kind, rest, reply }, i) => rowOf(kind, kind + 2, reply, 100 + i, rest));
          const whole = { rows: 3, length: 13 };
          const batches = packRows(rows, [{ ...shared, trainedTokens: trained }, whole]);
          expect(batches.flatMap(({ rowIndices }) => rowIndices).sort((a, b) => a - b)).toEqual(
            rows.map((_, index) => index),
          );
          for (const batch of batches) {
            const { bucket, rowIndices } = batch;
            expect(rowIndices.length).toBeLessThanOrEqual(rowsOf(bucket));
            const sum = rowIndices.reduce((all, i) => all + trainedTokens(rows[i] as (typeof rows)[0]), 0);
            if (bucket.sharedPrompts === undefined) continue;
            expect(sum).toBeLessThanOrEqual(trainedTokensOf(bucket));
            expect(placesOf(bucket)).toBeLessThan(rowIndices.length * whole.length);
            const layout = layOut(batch, rows);
            rowIndices.forEach((index, r) => {
              const { sequence = 0, shared: common = 0 } = batch.places[r] ?? {};
              const prompt = Math.floor(sequence / 2);
              const { tokenIds } = rows[index] as (typeof rows)[0];
              expect(layout.promptLengths[prompt]).toBe(common);
              const start = 2 * 8 + sequence * 4;
              expect([
                ...layout.tokenIds.slice(prompt * 8, prompt * 8 + common),
                ...layout.tokenIds.slice(start, start + tokenIds.length - common),
              ]).toEqual(tokenIds);
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

  it("share what is common to most of them where their prompts go on differently", () => {
    const rows = [rowOf(1, 6, 2, 50, 1), rowOf(2, 5, 2, 60), rowOf(1, 6, 2, 70, 2), rowOf(1, 8, 3, 80)];
    const batches = packRows(rows, [
      { ...shared, rows: 2 },
      { rows: 1, length: 12 },
    ]);
    expect(batches.map(({ rowIndices }) => rowIndices)).toEqual([[0, 2], [1], [3]]);
    expect(batches[0]?.places.map((place) => place.shared)).toEqual([6, 6]);
  });

  it("that fit no bucket are refused", () => {
    expect(() => packRows([rowOf(1, 12, 1, 50)], [shared])).toThrow(
      /ROW_TOO_LONG.*no bucket with shared prompts/,
    );
  });

  it("count everything before the first trained token as prompt", () => {
    expect(promptTokensOf({ tokenIds: [1, 2, 3, 4], lossMask: [0, 0, 1, 0] })).toBe(2);
    expect(promptTokensOf({ tokenIds: [1, 2], lossMask: [0, 0] })).toBe(2);
  });
});

describe("what is planned of rows that begin alike", () => {
  it("has room for a row whose own part is as long as the bucket allows", () => {
    const bucket = { rows: 8, length: 12, sharedPrompts: { length: 8, replies: 8 } };
    expect(hasRoomFor(bucket, { tokens: 12, promptTokens: 9, trainedTokens: 3 })).toBe(true);
    expect(hasRoomFor(bucket, { tokens: 11, promptTokens: 6, trainedTokens: 5 })).toBe(false);
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
