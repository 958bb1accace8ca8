import { expect, test } from "vitest";
import { plannedPasses } from "./planned-passes.js";

const rows = (count: number, tokens: number, trainedTokens: number) =>
  Array.from({ length: count }, () => ({ tokens, trainedTokens, commonTokens: 0, beginning: 0 }));

test("counts micro-batches by shape, and the share of their positions that hold tokens", () => {
  const buckets = [
    { rows: 4, length: 10 },
    { rows: 1, length: 10 },
  ];
  const { passes, filled } = plannedPasses(rows(9, 8, 2), buckets);
  expect(passes.map(({ microBatches }) => microBatches)).toEqual([2, 1]);
  expect(filled).toBeCloseTo((9 * 8) / 90);
});

test("packs rows end to end as far as their trained tokens have room", () => {
  const bucket = { rows: 1, length: 100, packedRows: 8 };
  expect(plannedPasses(rows(6, 30, 10), [bucket])).toEqual({
    passes: [{ bucket, microBatches: 2, rowTokens: 30 }],
    filled: 180 / 200,
  });
  const few = { ...bucket, trainedTokens: 20 };
  expect(plannedPasses(rows(6, 30, 10), [few]).passes).toMatchObject([{ bucket: few, microBatches: 3 }]);
});

test("a beginning that rows share is computed and counted once", () => {
  const bucket = { rows: 4, length: 40, sharedPrompts: { length: 30, replies: 4 }, trainedTokens: 40 };
  const group = (beginning: number) =>
    Array.from({ length: 4 }, () => ({ tokens: 40, trainedTokens: 10, commonTokens: 30, beginning }));
  const { passes, filled } = plannedPasses([...group(1), ...group(2)], [bucket, { rows: 1, length: 40 }]);
  expect(passes).toEqual([{ bucket, microBatches: 2, rowTokens: 40 }]);
  expect(filled).toBe(1);
});
