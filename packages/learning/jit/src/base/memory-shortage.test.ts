import { describe, expect, it } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import type { JitMode } from "../modules/jit-module.js";
import { jit } from "../modules/module.js";
import type { Tensors } from "../trace/jit-function.js";
import { bytesText, memoryShortage } from "./memory-shortage.js";
import { nodeBackend } from "./tensorflow-binding.js";
import type { tf } from "./tf.js";

const side = 2 ** 21;
const large = {
  column: { shape: [side, 1], dtype: "float32" },
  row: { shape: [1, side], dtype: "float32" },
} as const;

/** Functions whose product of 16 TiB is more than any allocator of a test machine gives. */
function tooLarge(backend: Backend, mode: JitMode) {
  const { tf } = backend;
  const sum = (inputs: Tensors) =>
    tf.sum(tf.square(tf.matMul(inputs["column"] as tf.Tensor, inputs["row"] as tf.Tensor)));
  const next = (state: Tensors) => tf.add(state["counter"] as tf.Tensor, 1);
  return jit({
    backend,
    mode,
    state: { counter: { shape: [1000], dtype: "float32" } },
    functions: {
      sum: { inputs: large, body: (_, inputs) => ({ outputs: { sum: sum(inputs) } }) },
      sumAndCount: {
        inputs: large,
        body: (state, inputs) => ({ outputs: { sum: sum(inputs) }, state: { counter: next(state) } }),
      },
      count: { inputs: {}, body: (state) => ({ outputs: {}, state: { counter: next(state) } }) },
    },
  });
}

describe("a function without memory", () => {
  const inputs = { column: new Float32Array(side), row: new Float32Array(side) };

  // Each takes 10 s: so long TensorFlow tries an allocation before it gives up.
  it.each(["graph", "xla", "eager"] as const)(
    "says so by code, with what it asked for, and leaves the state that it does not write: mode %s",
    async (mode) => {
      const module = tooLarge(await loadBackend(), mode);
      try {
        module.writeState({ counter: new Float32Array(1000).fill(5) });
        expect(() => module.call("sum", inputs)).toThrowError(
          expect.objectContaining({
            code: "MEMORY_EXHAUSTED",
            message: expect.stringMatching(
              /^\[MEMORY_EXHAUSTED\] function "sum" did not run: the machine has no memory left for an allocation of 16\.0 TiB; \S+ \wiB are free$/,
            ),
            shortage: expect.objectContaining({ place: "host", freeBytes: expect.any(Number) }),
            losesState: false,
          }),
        );
        module.call("count", {});
        expect(module.readState(["counter"])["counter"]).toEqual(new Float32Array(1000).fill(6));
      } finally {
        module.dispose();
      }
    },
  );

  it("does not touch variables again whose memory a failed launch has freed (JIT-LAUNCH-4, JIT-LAUNCH-1)", async () => {
    const module = tooLarge(await loadBackend(), "xla");
    module.writeState({ counter: new Float32Array(1000).fill(5) });
    expect(() => module.call("sumAndCount", inputs)).toThrowError(
      expect.objectContaining({ code: "MEMORY_EXHAUSTED", losesState: true }),
    );
    const lost = expect.objectContaining({
      code: "STATE_LOST",
      message: expect.stringContaining('function "sumAndCount" failed and destroyed the state'),
    });
    expect(() => module.call("count", {})).toThrowError(lost);
    expect(() => module.readState()).toThrowError(lost);
    expect(() => module.writeState({ counter: new Float32Array(1000) })).toThrowError(lost);
    const sessions = nodeBackend().binding.getNumOfSavedModels();
    module.dispose();
    expect(nodeBackend().binding.getNumOfSavedModels()).toBe(sessions);
    expect(() => module.call("count", {})).toThrowError(expect.objectContaining({ code: "DISPOSED" }));
  });
});

describe("memoryShortage", () => {
  // As TensorFlow 2.21 and XLA word them for GPUs.
  it.each([
    [
      "Out of memory while trying to allocate 28.90GiB.\n\t [[{{node f_f/StatefulPartitionedCall_2}}]]",
      "gpu",
      28.9 * 2 ** 30,
    ],
    ["Out of memory while trying to allocate 30064771072 bytes.", "gpu", 30064771072],
    ["Failed to allocate request for 1.50GiB (1610612736B) on device ordinal 0", "gpu", 1610612736],
    [
      "OOM when allocating tensor with shape[8,2048,896] and type bfloat16 on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
      "gpu",
      8 * 2048 * 896 * 2,
    ],
    [
      "OOM when allocating tensor with shape[7,3] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator mklcpu",
      "host",
      84,
    ],
    ["CUDA_ERROR_OUT_OF_MEMORY: out of memory", "gpu", undefined],
    ["CUBLAS_STATUS_ALLOC_FAILED", "gpu", undefined],
  ] as const)("reads %s", (message, place, requestedBytes) => {
    const shortage = memoryShortage(message, true);
    expect(shortage?.place).toBe(place);
    expect(shortage?.requestedBytes).toBe(requestedBytes);
  });

  it.each([
    "RESOURCE_EXHAUSTED: Shared memory size limit exceeded: requested 245760, available: 232448",
    "Incompatible shapes: [2] vs. [3]",
  ])("leaves other failures alone: %s", (message) => {
    expect(memoryShortage(message, true)).toBeUndefined();
  });
});

it("bytesText takes the largest unit that fits", () => {
  expect([12, 2048, 3 * 2 ** 30, 2 ** 44].map(bytesText)).toEqual(["12 B", "2.0 KiB", "3.0 GiB", "16.0 TiB"]);
});
