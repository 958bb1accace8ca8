import { describe, expect, test } from "vitest";
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
