import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import type { TensorSpec } from "../base/spec.js";
import { nodeBackend } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import type { JitFunction } from "../trace/jit-function.js";
import type { JitModule } from "./jit-module.js";
import { type JitOptions, jit } from "./module.js";
import { need } from "./need.fixture.js";

const vector: TensorSpec = { shape: [3], dtype: "float32" };
const flag: TensorSpec = { shape: [2], dtype: "bool" };
const counter: TensorSpec = { shape: [], dtype: "int32" };

const functions: Record<string, JitFunction> = {
  add: {
    inputs: { x: vector },
    body: (state, inputs) => ({
      outputs: { before: need(state["total"]) },
      state: {
        total: tf.add(need(state["total"]), need(inputs["x"])),
        count: tf.add(need(state["count"]), tf.scalar(1, "int32")),
      },
    }),
  },
  swap: {
    inputs: {},
    body: (state) => ({
      outputs: {},
      state: { total: need(state["other"]), other: need(state["total"]) },
    }),
  },
  replace: {
    inputs: { x: vector },
    body: (state, inputs) => ({
      outputs: { before: need(state["total"]) },
      state: { total: need(inputs["x"]) },
    }),
  },
  flip: {
    inputs: { mask: flag },
    body: (_, inputs) => ({ outputs: { mask: tf.logicalNot(need(inputs["mask"])) } }),
  },
  keep: { inputs: {}, body: (state) => ({ outputs: {}, state: { total: need(state["total"]) } }) },
};

describe.each(["graph", "eager", "xla"] as const)("a module in mode %s", (mode) => {
  let backend: Backend;

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
  });

  function build(overrides: Partial<JitOptions> = {}): JitModule {
    return jit({
      backend,
      state: { total: vector, other: vector, count: counter },
      functions,
      mode,
      ...overrides,
    });
  }

  test("starts from zeros, and keeps state from call to call", () => {
    const module = build();
    expect(module.mode).toBe(mode);
    expect(module.call("add", { x: Float32Array.of(1, 2, 3) })).toEqual({ before: Float32Array.of(0, 0, 0) });
    expect(module.call("add", { x: Float32Array.of(1, 1, 1) })).toEqual({ before: Float32Array.of(1, 2, 3) });
    expect(module.readState()).toEqual({
      total: Float32Array.of(2, 3, 4),
      other: Float32Array.of(0, 0, 0),
      count: Int32Array.of(2),
    });
    module.dispose();
  });

  test("JIT-PROGRAM-1, JIT-LAUNCH-2: reads state as it was before the call, also where two entries change places", () => {
    const module = build();
    module.writeState({ total: Float32Array.of(1, 1, 1), other: Float32Array.of(2, 2, 2) });
    expect(module.call("replace", { x: Float32Array.of(7, 7, 7) })).toEqual({
      before: Float32Array.of(1, 1, 1),
    });
    module.call("swap", {});
    expect(module.readState(["total", "other"])).toEqual({
      total: Float32Array.of(2, 2, 2),
      other: Float32Array.of(7, 7, 7),
    });
    module.call("keep", {});
    expect(module.readState(["total"])).toEqual({ total: Float32Array.of(2, 2, 2) });
    module.dispose();
  });

  test("copies what is written and read: neither side sees later changes of the other (JIT-PROGRAM-4)", () => {
    const module = build();
    const given = Float32Array.of(1, 2, 3);
    module.writeState({ total: given });
    given.fill(9);
    const taken = need(module.readState(["total"])["total"]);
    expect(taken).toEqual(Float32Array.of(1, 2, 3));
    taken.fill(8);
    expect(module.readState(["total"])["total"]).toEqual(Float32Array.of(1, 2, 3));
    const x = Float32Array.of(5, 5, 5);
    module.call("replace", { x });
    x.fill(6);
    expect(module.readState(["total"])["total"]).toEqual(Float32Array.of(5, 5, 5));
    module.dispose();
  });

  test("passes truth values as bytes", () => {
    const module = build();
    expect(module.call("flip", { mask: Uint8Array.of(1, 0) })).toEqual({ mask: Uint8Array.of(0, 1) });
    module.dispose();
  });

  test.each([
    ["UNKNOWN_FUNCTION", (module: JitModule) => module.call("missing", {})],
    ["UNKNOWN_INPUT", (module: JitModule) => module.call("add", {})],
    ["UNKNOWN_INPUT", (module: JitModule) => module.call("swap", { x: new Float32Array(3) })],
    ["SHAPE_MISMATCH", (module: JitModule) => module.call("add", { x: new Float32Array(4) })],
    ["DTYPE_MISMATCH", (module: JitModule) => module.call("add", { x: new Int32Array(3) })],
    ["UNKNOWN_STATE", (module: JitModule) => module.readState(["missing"])],
    ["UNKNOWN_STATE", (module: JitModule) => module.writeState({ missing: new Float32Array(3) })],
    ["SHAPE_MISMATCH", (module: JitModule) => module.writeState({ total: new Float32Array(2) })],
  ])("refuses with %s and stays usable", (code, act) => {
    const module = build();
    expect(() => act(module)).toThrow(expect.objectContaining({ code }));
    module.call("add", { x: Float32Array.of(1, 2, 3) });
    expect(module.readState(["count"])["count"]).toEqual(Int32Array.of(1));
    module.dispose();
  });

  test("writes no entry where one of them does not fit", () => {
    const module = build();
    const values = { other: Float32Array.of(1, 1, 1), total: new Float32Array(2) };
    expect(() => module.writeState(values)).toThrow(expect.objectContaining({ code: "SHAPE_MISMATCH" }));
    expect(module.readState(["other"])["other"]).toEqual(Float32Array.of(0, 0, 0));
    module.dispose();
  });

  test("refuses a function that returns state which is not declared, or in another form", () => {
    const run = (state: Record<string, tf.Tensor>) => {
      const module = build({ functions: { bad: { inputs: {}, body: () => ({ outputs: {}, state }) } } });
      try {
        module.call("bad", {});
      } finally {
        module.dispose();
      }
    };
    expect(() => run({ missing: tf.zeros([3]) })).toThrow(expect.objectContaining({ code: "UNKNOWN_STATE" }));
    expect(() => run({ total: tf.zeros([2]) })).toThrow(expect.objectContaining({ code: "SHAPE_MISMATCH" }));
    tf.disposeVariables();
  });

  test("refuses every use after dispose, and takes a second dispose in its stride", () => {
    const module = build();
    module.dispose();
    module.dispose();
    expect(() => module.call("swap", {})).toThrow(expect.objectContaining({ code: "DISPOSED" }));
    expect(() => module.readState()).toThrow(expect.objectContaining({ code: "DISPOSED" }));
    expect(() => module.writeState({ total: new Float32Array(3) })).toThrow(
      expect.objectContaining({ code: "DISPOSED" }),
    );
  });

  test("counts calls and their time", () => {
    const module = build();
    module.call("add", { x: new Float32Array(3) });
    module.call("add", { x: new Float32Array(3) });
    const stats = need(module.stats["add"]);
    expect(stats.calls).toBe(2);
    expect(stats.totalMs).toBeGreaterThanOrEqual(stats.firstCallMs);
    expect(need(module.stats["swap"]).calls).toBe(0);
    expect(stats.traceMs > 0).toBe(mode !== "eager");
    module.dispose();
  });

  test("holds no more tensors after thousands of calls than after one", () => {
    const module = build();
    const x = Float32Array.of(1, 0, 0);
    const step = () => {
      module.call("add", { x });
      module.call("swap", {});
      module.readState(["count"]);
      module.writeState({ other: x });
    };
    step();
    const before = [tf.memory().numTensors, nodeBackend().binding.getNumOfTensors()];
    for (let index = 0; index < 1500; index += 1) step();
    expect([tf.memory().numTensors, nodeBackend().binding.getNumOfTensors()]).toEqual(before);
    module.dispose();
  });
});

describe("a graph module", () => {
  test("leaves no folder behind, and no session after dispose", async () => {
    const backend = await loadBackend({ prefer: "tensorflow" });
    const folders = () =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`palimpsest-graph-${process.pid}-`));
    const sessions = nodeBackend().binding.getNumOfSavedModels();
    const module = jit({ backend, state: { total: vector, other: vector, count: counter }, functions });
    expect(module.mode).toBe("graph");
    expect(nodeBackend().binding.getNumOfSavedModels()).toBe(sessions + 1);
    expect(folders()).toEqual([]);
    module.dispose();
    expect(nodeBackend().binding.getNumOfSavedModels()).toBe(sessions);
  });

  test("is refused where there is no tensorflow", async () => {
    const backend = await loadBackend({ prefer: "cpu" });
    const build = () => jit({ backend, state: {}, functions: {}, mode: "graph" });
    expect(build).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
  });

  test("is refused where a shape is not static", async () => {
    const backend = await loadBackend({ prefer: "tensorflow" });
    const build = () => jit({ backend, state: { x: { shape: [-1], dtype: "float32" } }, functions: {} });
    expect(build).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
  });
});
