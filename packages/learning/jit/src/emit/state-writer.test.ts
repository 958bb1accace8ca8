import { expect, test, vi } from "vitest";
import { loadBackend } from "../backend/backend.js";
import type { StateSpec } from "../base/spec.js";
import { DATA_TYPE, nodeBackend } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";

const state = {
  vector: { shape: [3], dtype: "float32" },
  matrix: { shape: [2, 2], dtype: "float32" },
  half: { shape: [4], dtype: "float32", stored: "bfloat16" },
  counts: { shape: [2], dtype: "int32" },
} satisfies Record<string, StateSpec>;

const backend = await loadBackend({ prefer: "tensorflow" });

test.each(["graph", "xla"] as const)(
  "any float32 entry is written by the same feeds and fetches, in mode %s",
  (mode) => {
    const body = (held: Readonly<Record<string, tf.Tensor>>) => ({
      outputs: { sum: tf.sum(held["vector"] as tf.Tensor) },
    });
    const module = jit({ backend, mode, state, functions: { sum: { inputs: {}, body } } });
    const runs = vi.spyOn(nodeBackend().binding, "runSavedModel");
    module.writeState({ vector: Float32Array.of(1, 2, 3) });
    module.writeState({ half: Float32Array.of(1, 1.5, -2, 0.25), matrix: Float32Array.of(4, 5, 6, 7) });
    module.writeState({ matrix: Float32Array.of(8, 9, 10, 11), vector: Float32Array.of(2, 3, 4) });
    const names = runs.mock.calls.map(([, , feeds, fetches]) => `${feeds} ${fetches}`);
    expect(names).toHaveLength(5);
    expect(new Set(names).size).toBe(1);
    runs.mockRestore();
    module.writeState({ counts: Int32Array.of(3, 4) });
    expect(module.readState()).toEqual({
      vector: Float32Array.of(2, 3, 4),
      matrix: Float32Array.of(8, 9, 10, 11),
      half: Float32Array.of(1, 1.5, -2, 0.25),
      counts: Int32Array.of(3, 4),
    });
    expect(module.call("sum", {})).toEqual({ sum: Float32Array.of(9) });
    module.dispose();
  },
);

test.each(["graph", "xla"] as const)(
  "entries that nobody wrote are zeroed by the feeds and fetches that write, one after the other, in mode %s",
  (mode) => {
    const body = (held: Readonly<Record<string, tf.Tensor>>) => ({
      outputs: { sum: tf.sum(held["vector"] as tf.Tensor).add(tf.sum(held["half"] as tf.Tensor)) },
    });
    const module = jit({ backend, mode, state, functions: { sum: { inputs: {}, body } } });
    const runs = vi.spyOn(nodeBackend().binding, "runSavedModel");
    module.writeState({ matrix: Float32Array.of(4, 5, 6, 7) });
    expect(module.call("sum", {})).toEqual({ sum: Float32Array.of(0) });
    const names = runs.mock.calls.map(([, , feeds, fetches]) => `${feeds} ${fetches}`);
    runs.mockRestore();
    // One write, two entries of zeros, the int32 one in a run of its own kind, and the call.
    expect(names.map((name) => names.indexOf(name))).toEqual([0, 0, 0, 3, 4]);
    expect(module.readState()).toEqual({
      vector: new Float32Array(3),
      matrix: Float32Array.of(4, 5, 6, 7),
      half: new Float32Array(4),
      counts: new Int32Array(2),
    });
    module.dispose();
  },
);

test.each(["graph", "xla"] as const)(
  "float32 numbers are fed as bits, which the addon leaves on the host, in mode %s",
  (mode) => {
    const inputs = { added: { shape: [3], dtype: "float32" }, times: { shape: [], dtype: "int32" } } as const;
    const body = (held: Readonly<Record<string, tf.Tensor>>, given: Readonly<Record<string, tf.Tensor>>) => ({
      outputs: {
        sum: tf.add(held["vector"] as tf.Tensor, given["added"] as tf.Tensor),
        times: given["times"] as tf.Tensor,
      },
    });
    const module = jit({ backend, mode, state, functions: { sum: { inputs, body } } });
    const made = vi.spyOn(nodeBackend().binding, "createTensor");
    const odd = Float32Array.of(-0, 1 / 3, Number.POSITIVE_INFINITY);
    module.writeState({ vector: Float32Array.of(-0, 0, 1), half: new Float32Array(4) });
    const sums = module.call("sum", { added: odd, times: Int32Array.of(3) });
    const types = made.mock.calls.map(([, dtype]) => dtype);
    made.mockRestore();
    expect(new Set(types)).toEqual(new Set([DATA_TYPE.int32]));
    expect(sums).toEqual({ sum: odd, times: Int32Array.of(3) });
    module.dispose();
  },
);

test("a written entry keeps nothing of the array", () => {
  const functions = {
    keep: { inputs: {}, body: () => ({ outputs: { one: tf.scalar(1) } }) },
  };
  const module = jit({ backend, mode: "graph", state, functions });
  const values = Float32Array.of(1, 2, 3);
  module.writeState({ vector: values });
  values.fill(9);
  expect(module.readState(["vector"])).toEqual({ vector: Float32Array.of(1, 2, 3) });
  module.dispose();
});

test.each(["graph", "xla"] as const)(
  "modules of one process have entries of their own, in mode %s",
  (mode) => {
    const functions = { double: { inputs: {}, body: doubled } };
    const modules = [1, 2, 3].map(() => jit({ backend, mode, state, functions }));
    modules.forEach((module, i) => {
      module.writeState({ vector: Float32Array.of(i, i + 1, i + 2), counts: Int32Array.of(i, i) });
    });
    modules[1]?.call("double", {});
    modules[2]?.dispose();
    const held = modules.slice(0, 2).map((module) => module.readState(["vector", "counts"]));
    expect(held).toEqual([
      { vector: Float32Array.of(0, 1, 2), counts: Int32Array.of(0, 0) },
      { vector: Float32Array.of(2, 4, 6), counts: Int32Array.of(1, 1) },
    ]);
    for (const module of modules.slice(0, 2)) module.dispose();
  },
);

test.each(["graph", "xla"] as const)("entries of one value and of none are written, in mode %s", (mode) => {
  const sizes = {
    scalar: { shape: [], dtype: "float32" },
    none: { shape: [0], dtype: "float32" },
    rows: { shape: [2, 0], dtype: "float32" },
    half: { shape: [], dtype: "float32", stored: "bfloat16" },
    noHalf: { shape: [0, 3], dtype: "float32", stored: "bfloat16" },
  } satisfies Record<string, StateSpec>;
  const functions = { keep: { inputs: {}, body: () => ({ outputs: { one: tf.scalar(1) } }) } };
  const module = jit({ backend, mode, state: sizes, functions });
  const none = new Float32Array();
  const values = { scalar: Float32Array.of(7), none, rows: none, half: Float32Array.of(-2), noHalf: none };
  module.writeState(values);
  expect(module.readState()).toEqual(values);
  module.dispose();
});

function doubled(held: Readonly<Record<string, tf.Tensor>>) {
  return { outputs: {}, state: { vector: tf.mul(held["vector"] as tf.Tensor, 2) } };
}
