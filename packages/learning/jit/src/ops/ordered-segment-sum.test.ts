import { beforeAll, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import { need } from "../modules/need.fixture.js";
import { traceFunction } from "../trace/traced-function.js";
import type { Scope } from "../trace/value.js";
import { orderedSegmentSum } from "./ordered-segment-sum.js";

let backend: Backend;
beforeAll(async () => {
  backend = await loadBackend({ prefer: "tensorflow" });
});

/** Each segment's rows added one after another, in whole numbers, which no order changes. */
function expected(data: readonly number[][], ids: readonly number[], count: number): number[][] {
  const sums = Array.from({ length: count }, () => data[0]?.map(() => 0) ?? []);
  ids.forEach((id, row) => {
    data[row]?.forEach((value, column) => {
      const sum = sums[id];
      if (sum !== undefined) sum[column] = (sum[column] ?? 0) + value;
    });
  });
  return sums;
}

const casesOf: readonly (readonly [name: string, ids: readonly number[], count: number])[] = [
  ["many of few", Array.from({ length: 37 }, (_, i) => (i * i) % 5), 7],
  ["few of many", [4, 90, 4, 0, 99, 4], 100],
  ["one row", [2], 3],
  ["two of one", [1, 1], 2],
  ["some outside", [3, -1, 0, 8, 3, -1, 0], 4],
  ["all of one", Array.from({ length: 16 }, () => 3), 5],
];

test.each(casesOf)("adds the rows of each segment: %s", (_, ids, count) => {
  const data = ids.map((_, row) => [row + 1, 100 - row * row, 3]);
  for (const mode of ["eager", "xla"] as const) {
    const module = jit({
      backend,
      mode,
      state: {},
      functions: {
        sum: {
          inputs: {
            data: { shape: [ids.length, 3], dtype: "float32" },
            ids: { shape: [ids.length], dtype: "int32" },
          },
          body: (_, i) => ({ outputs: { sum: orderedSegmentSum(need(i["data"]), need(i["ids"]), count) } }),
        },
      },
    });
    const given = { data: Float32Array.from(data.flat()), ids: Int32Array.from(ids) };
    const sum = need(module.call("sum", given)["sum"]);
    module.dispose();
    expect([...sum]).toEqual(expected(data, ids, count).flat());
  }
});

test("rows of a segment are added by their places, wherever they and others lie", () => {
  const values = Array.from({ length: 13 }, (_, i) => Math.sin(i * 7.3) * 10 ** (i % 5));
  const sumOf = (ids: number[], data: number[], id: number) =>
    orderedSegmentSum(tf.tensor2d(data, [data.length, 1]), tf.tensor1d(ids, "int32"), 4).dataSync()[id];
  const alone = sumOf(
    values.map(() => 1),
    values,
    1,
  );
  const spread = sumOf(
    values.flatMap((_, i) => [1, i % 2 === 0 ? 0 : 3]),
    values.flatMap((value) => [value, 5]),
    1,
  );
  expect(spread).toBe(alone);
});

test("is the gradient of a gather where sums have a fixed order, and no scatter is left", () => {
  const gradient = () =>
    tf.grad((table) =>
      tf
        .gather(table, tf.tensor1d([2, 0, 2], "int32"))
        .square()
        .sum(),
    );
  const inputs = { table: { shape: [4, 3], dtype: "float32" as const } };
  const body = (_: object, i: { readonly [name: string]: tf.Tensor | undefined }) => ({
    outputs: { g: gradient()(need(i["table"])) },
  });
  const names = (ordered: boolean) => {
    const target = {
      fusedAttention: false,
      calls: true,
      ...(ordered ? { segmentSum: orderedSegmentSum } : {}),
    };
    const { root } = traceFunction("f", {}, inputs, body, target);
    const within = (scope: Scope): string[] => scope.operations.map(({ name }) => name);
    return within(root);
  };
  expect(names(false)).toContain("UnsortedSegmentSum");
  expect(names(true)).not.toContain("UnsortedSegmentSum");
});
