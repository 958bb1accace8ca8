import { describe, expect, test } from "vitest";
import { tf } from "../base/tf.js";
import { rotatePairs } from "../ops/rotate-pairs.js";
import { ROTATE_PAIRS } from "../trace/shape-inference/rules.js";
import { loadBackend } from "./backend.js";
import { guardHeap } from "./wasm-kernels.js";

/** An Emscripten module's allocator that has `limit` bytes, and swaps itself at the first call as Emscripten's does. */
function heapOf(limit: number): Parameters<typeof guardHeap>[0] {
  let used = 0;
  const allocate = (bytes: number): number => {
    if (used + bytes > limit) return 0;
    used += bytes;
    return 64 + used - bytes;
  };
  const heap = {
    _malloc: (bytes: number): number => {
      heap._malloc = allocate;
      return allocate(bytes);
    },
    _free: (): void => {
      used = 0;
    },
    cwrap: () => () => undefined,
    tfjs: { registerTensor: () => undefined, disposeData: () => undefined },
  };
  return heap;
}

describe("the wasm heap's guard", () => {
  test("makes a full heap an error instead of tensors at offset 0", () => {
    const heap = heapOf(100);
    guardHeap(heap);
    expect(heap._malloc(60)).toBe(64);
    expect(() => heap._malloc(60)).toThrow(expect.objectContaining({ code: "MEMORY_EXHAUSTED" }));
    expect(heap._malloc(40)).toBe(124);
  });

  test("lets an empty tensor have offset 0", () => {
    const heap = heapOf(0);
    heap._malloc = () => 0;
    guardHeap(heap);
    expect(heap._malloc(0)).toBe(0);
  });
});

test("pairs are rotated on wasm by one kernel, and not by slices of five axes", async () => {
  await loadBackend({ prefer: "wasm" });
  const shape: [number, number, number, number] = [2, 3, 2, 4];
  const x = tf.randomNormal(shape, 0, 1, "float32", 1);
  const turns = tf.randomNormal([1, 3, 1, 4], 0, 1, "float32", 2);
  const profile = await tf.profile(() => rotatePairs(x, turns));
  // The gradient that jit defines has an entry without a name.
  expect(profile.kernelNames.filter((name) => name !== "")).toEqual([ROTATE_PAIRS]);
  const onWasm = await (profile.result as tf.Tensor).data();
  const [xValues, turnValues] = [await x.data(), await turns.data()];
  await loadBackend({ prefer: "cpu" });
  const composed = rotatePairs(tf.tensor(xValues, shape), tf.tensor(turnValues, [1, 3, 1, 4]));
  expect([...onWasm]).toEqual([...(await composed.data())]);
});
