import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import type { TensorSpec } from "../base/spec.js";
import { tf } from "../base/tf.js";
import { continuedWrites } from "../emit/continued-writes.js";
import { liveness } from "../emit/liveness.js";
import { inPlaceWrites } from "../emit/memory.js";
import type { JitModule } from "../modules/jit-module.js";
import { jit } from "../modules/module.js";
import { need } from "../modules/need.fixture.js";
import type { JitFunction, Tensors } from "../trace/jit-function.js";
import { traceFunction } from "../trace/traced-function.js";
import { scatterRows } from "./scatter-rows.js";

const table: TensorSpec = { shape: [2, 3, 2], dtype: "float32" };
const inputs = {
  at: { shape: [2, 2], dtype: "int32" },
  rows: { shape: [2, 2], dtype: "float32" },
} as const;

const write = (target: tf.Tensor, i: Tensors): tf.Tensor =>
  scatterRows(target, need(i["at"]), need(i["rows"]));

const functions: Record<string, JitFunction> = {
  write: {
    inputs,
    body: (state, i) => {
      const written = write(need(state["a"]), i);
      return { outputs: { sum: tf.sum(written) }, state: { a: written } };
    },
  },
  writeBesideTheOld: {
    inputs,
    body: (state, i) => {
      const written = write(need(state["a"]), i);
      return {
        outputs: { old: need(state["a"]), change: tf.sub(written, need(state["a"])) },
        state: { a: written },
      };
    },
  },
  writeWithoutKeeping: { inputs, body: (state, i) => ({ outputs: { all: write(need(state["a"]), i) } }) },
  writeIntoTheOther: {
    inputs,
    body: (state, i) => ({ outputs: {}, state: { b: write(need(state["a"]), i) } }),
  },
  writeTwice: {
    inputs,
    body: (state, i) => {
      const first = write(need(state["a"]), i);
      const moved = tf.reverse(need(i["at"]), 0);
      return { outputs: {}, state: { a: scatterRows(first, moved, tf.mul(need(i["rows"]), 10)) } };
    },
  },
  writeAfterReading: {
    inputs,
    body: (state, i) => {
      const old = need(state["a"]);
      const part = tf.slice(old, [0, 0, 0], [1, 3, 2]);
      const written = write(old, i);
      return {
        outputs: { before: tf.sum(tf.square(part)), total: tf.sum(tf.exp(old)) },
        state: { a: written },
      };
    },
  },
  writeWhatIsRead: {
    inputs,
    body: (state, i) => {
      const old = need(state["a"]);
      const rows = tf.reshape(tf.slice(old, [0, 2, 0], [2, 1, 2]), [2, 2]);
      const written = scatterRows(old, need(i["at"]), tf.mul(rows, 1));
      return { outputs: { mark: tf.sum(need(i["rows"])) }, state: { a: written } };
    },
  },
  writeAndReadByTurns: {
    inputs,
    body: (state, i) => {
      const fresh = tf.gather(need(state["a"]), tf.tensor1d([1, 0], "int32"));
      const first = write(fresh, i);
      const total = tf.sum(tf.exp(first));
      const second = scatterRows(first, need(i["at"]), tf.mul(need(i["rows"]), 10));
      return { outputs: { total, last: scatterRows(second, need(i["at"]), tf.neg(need(i["rows"]))), fresh } };
    },
  },
  writeTwoWays: {
    inputs,
    body: (state, i) => {
      const first = write(tf.gather(need(state["a"]), tf.tensor1d([0, 1], "int32")), i);
      const second = scatterRows(first, need(i["at"]), tf.mul(need(i["rows"]), 10));
      const other = scatterRows(first, need(i["at"]), tf.neg(need(i["rows"])));
      return { outputs: { second, other, first } };
    },
  },
  crossed: {
    inputs,
    body: (state, i) => {
      const [a, b] = [need(state["a"]), need(state["b"])];
      const newA = write(a, i);
      const newB = write(b, { at: need(i["at"]), rows: tf.neg(need(i["rows"])) });
      // Each product reads one table as it was and the other as it will be: one of the two has to be copied.
      const outputs = { oldA: tf.sum(tf.mul(a, newB)), oldB: tf.sum(tf.mul(b, newA)) };
      return { outputs, state: { a: newA, b: newB } };
    },
  },
  copy: {
    inputs: {},
    body: (state) => ({ outputs: {}, state: { b: tf.reshape(need(state["a"]), [2, 3, 2]) } }),
  },
  clear: { inputs: {}, body: () => ({ outputs: {}, state: { a: tf.zeros([2, 3, 2]) } }) },
};

const call = { at: Int32Array.of(0, 2, 1, 0), rows: Float32Array.of(1, 2, 3, 4) };
const after = Float32Array.of(0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0);
const zeros = new Float32Array(12);

describe.each([
  ["tensorflow", "graph", "float32"],
  ["tensorflow", "graph", "bfloat16"],
  ["tensorflow", "xla", "float32"],
  ["tensorflow", "eager", "float32"],
  ["wasm", "eager", "float32"],
  ["cpu", "eager", "float32"],
] as const)("scatterRows on %s in mode %s, stored in %s", (prefer, mode, stored) => {
  let backend: Backend;

  beforeAll(async () => {
    backend = await loadBackend({ prefer });
  });

  function build(): JitModule {
    const entry = { ...table, stored };
    return jit({ backend, state: { a: entry, b: entry }, functions, mode });
  }

  test("writes the rows at their places and leaves the others", () => {
    const module = build();
    expect(module.call("write", call)).toEqual({ sum: Float32Array.of(10) });
    expect(module.readState()).toEqual({ a: after, b: zeros });
    module.call("write", { ...call, rows: Float32Array.of(5, 6, 7, 8) });
    expect(module.readState(["a"])["a"]).toEqual(Float32Array.of(0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0));
    module.dispose();
  });

  test("JIT-PROGRAM-2: keeps the old rows where they are used beside the new ones", () => {
    const module = build();
    expect(module.call("writeBesideTheOld", call)).toEqual({ old: zeros, change: after });
    expect(module.readState(["a"])["a"]).toEqual(after);
    module.dispose();
  });

  test("JIT-PROGRAM-2: leaves the state where the result is not its new value", () => {
    const module = build();
    expect(module.call("writeWithoutKeeping", call)).toEqual({ all: after });
    expect(module.readState()).toEqual({ a: zeros, b: zeros });
    module.call("writeIntoTheOther", call);
    expect(module.readState()).toEqual({ a: zeros, b: after });
    module.dispose();
  });

  test("JIT-PROGRAM-2: lets readers of the old rows run before the write", () => {
    const module = build();
    module.call("write", call);
    const sums = module.call("writeAfterReading", { ...call, rows: Float32Array.of(7, 7, 7, 7) });
    expect(need(sums["before"])).toEqual(Float32Array.of(5));
    const total = 8 + Math.exp(1) + Math.exp(2) + Math.exp(3) + Math.exp(4);
    expect(need(need(sums["total"])[0])).toBeCloseTo(total, 3);
    expect(module.readState(["a"])["a"]).toEqual(Float32Array.of(0, 0, 0, 0, 7, 7, 7, 7, 0, 0, 0, 0));
    module.dispose();
  });

  test("JIT-PROGRAM-2: reads each result of a chain of writes before the next write", () => {
    const module = build();
    module.writeState({ a: new Float32Array(12).fill(1) });
    const { total, last, fresh } = module.call("writeAndReadByTurns", call);
    const sum = 8 * Math.exp(1) + Math.exp(1) + Math.exp(2) + Math.exp(3) + Math.exp(4);
    expect(need(need(total)[0])).toBeCloseTo(sum, 3);
    expect(last).toEqual(Float32Array.of(1, 1, 1, 1, -1, -2, -3, -4, 1, 1, 1, 1));
    expect(fresh).toEqual(new Float32Array(12).fill(1));
    expect(module.readState(["a"])["a"]).toEqual(new Float32Array(12).fill(1));
    module.dispose();
  });

  test("JIT-PROGRAM-2: continues a write in two ways without mixing them", () => {
    const module = build();
    const results = module.call("writeTwoWays", call);
    expect(results).toEqual({
      first: after,
      second: after.map((value) => 10 * value),
      other: Float32Array.from(after, (value) => (value === 0 ? 0 : -value)),
    });
    module.dispose();
  });

  test("JIT-PROGRAM-2: writes rows of the table itself as they were", () => {
    const module = build();
    module.call("write", call);
    module.call("writeWhatIsRead", { at: Int32Array.of(1, 2, 0, 0), rows: new Float32Array(4) });
    expect(module.readState(["a"])["a"]).toEqual(Float32Array.of(0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 1, 2));
    module.dispose();
  });

  test("JIT-PROGRAM-2: orders reads and writes of two tables that wait for one another", () => {
    const module = build();
    module.writeState({ a: new Float32Array(12).fill(2), b: new Float32Array(12).fill(1) });
    const outputs = module.call("crossed", call);
    expect(outputs).toEqual({ oldA: Float32Array.of(2 * (8 - 10)), oldB: Float32Array.of(16 + 10) });
    const { a, b } = module.readState();
    expect(a).toEqual(Float32Array.of(2, 2, 2, 2, 1, 2, 3, 4, 2, 2, 2, 2));
    expect(b).toEqual(Float32Array.of(1, 1, 1, 1, -1, -2, -3, -4, 1, 1, 1, 1));
    module.dispose();
  });

  test("writes one after the other", () => {
    const module = build();
    module.call("writeTwice", call);
    expect(module.readState(["a"])["a"]).toEqual(Float32Array.of(0, 0, 0, 0, 30, 40, 10, 20, 0, 0, 0, 0));
    module.dispose();
  });

  test("JIT-PROGRAM-3: does not write into what another entry or a constant holds", () => {
    const module = build();
    module.call("write", call);
    module.call("copy", {});
    module.call("write", { ...call, rows: Float32Array.of(9, 9, 9, 9) });
    expect(module.readState(["b"])["b"]).toEqual(after);
    module.call("clear", {});
    module.call("write", call);
    module.call("clear", {});
    expect(module.readState(["a"])["a"]).toEqual(zeros);
    const given = new Float32Array(12);
    module.writeState({ a: given });
    module.call("write", call);
    expect(given).toEqual(zeros);
    module.dispose();
  });

  test("refuses indices and rows that do not fit the table", () => {
    const target = tf.zeros([2, 3, 2]);
    const wrong = () => scatterRows(target, tf.zeros([2, 2], "int32"), tf.zeros([3, 2]));
    expect(wrong).toThrow(expect.objectContaining({ code: "SHAPE_MISMATCH" }));
    const type = () => scatterRows(target, tf.zeros([2, 2]), tf.zeros([2, 2]));
    expect(type).toThrow(expect.objectContaining({ code: "DTYPE_MISMATCH" }));
    target.dispose();
  });
});

describe("a traced row write", () => {
  const traced = (name: string): string[] => {
    const { inputs: specs, body } = need(functions[name]);
    const fn = traceFunction(name, { a: table, b: table }, specs, body);
    const { operations } = liveness([...fn.outputs.values(), ...fn.state.values()]);
    return [...inPlaceWrites(fn, operations).values()].map(({ state }) => state);
  };
  const continued = (name: string): number => {
    const { inputs: specs, body } = need(functions[name]);
    const fn = traceFunction(name, { a: table, b: table }, specs, body);
    const { operations } = liveness([...fn.outputs.values(), ...fn.state.values()]);
    return continuedWrites(fn, operations, inPlaceWrites(fn, operations)).size;
  };

  beforeAll(async () => {
    await loadBackend({ prefer: "tensorflow" });
  });

  test.each([
    ["write", ["a"]],
    ["writeTwice", ["a", "a"]],
    ["writeAfterReading", ["a"]],
    ["writeBesideTheOld", []],
    ["writeWithoutKeeping", []],
    ["writeIntoTheOther", []],
    ["writeWhatIsRead", []],
    ["crossed", ["a"]],
  ])("JIT-PROGRAM-2: of %s goes in place into %j", (name, states) => {
    expect(traced(name)).toEqual(states);
  });

  test.each([
    ["writeAndReadByTurns", 2],
    ["writeTwoWays", 0],
    ["writeTwice", 0],
    ["crossed", 0],
  ])("JIT-PROGRAM-2: of %s continues %i earlier writes", (name, count) => {
    expect(continued(name)).toBe(count);
  });
});
