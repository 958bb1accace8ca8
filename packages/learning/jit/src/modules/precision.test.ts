import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { scan } from "../ops/scan.js";
import { scatterRows } from "../ops/scatter-rows.js";
import { expectClose } from "../testing/compare.js";
import type { JitFunction, Tensors } from "../trace/jit-function.js";
import type { JitModule } from "./jit-module.js";
import { type JitOptions, jit } from "./module.js";

/** Two roundings to 8 bits of mantissa in a product of three factors in a row. */
const TOLERANCE = 2 ** -7;

const [rows, width, layers] = [5, 16, 3];
const ids = { shape: [rows], dtype: "int32" } as const;

function need(tensors: Tensors, name: string): tf.Tensor {
  const tensor = tensors[name];
  if (tensor === undefined) throw new Error(`no ${name}`);
  return tensor;
}

function chain(x: tf.Tensor, stack: tf.Tensor): tf.Tensor {
  const { carry } = scan({
    carry: [x],
    xs: [stack],
    body: ([row], [matrix]) => ({ carry: [tf.tanh(tf.matMul(row as tf.Tensor, matrix as tf.Tensor))] }),
  });
  return carry[0] as tf.Tensor;
}

const functions: Record<string, JitFunction> = {
  /** A lookup, a loop over stored matrices, and a product with the table itself. */
  model: {
    inputs: { ids },
    body: (state, inputs) => {
      const table = need(state, "table");
      const last = chain(tf.gather(table, need(inputs, "ids")), need(state, "stack"));
      return { outputs: { logits: tf.matMul(last, table, false, true) } };
    },
  },
  unstacked: {
    inputs: { ids },
    body: (state, inputs) => {
      const rowsOf = tf.gather(need(state, "table"), need(inputs, "ids"));
      const matrices = tf.unstack(need(state, "stack"), 0);
      return { outputs: { y: matrices.reduce((x, matrix) => tf.tanh(tf.matMul(x, matrix)), rowsOf) } };
    },
  },
  /** Rows written into the table. */
  rows: {
    inputs: { at: { shape: [2, 2], dtype: "int32" } },
    body: (state, inputs) => {
      const fresh = tf.add(tf.slice(need(state, "table"), [0, 0], [2, 1]).reshape([2]), 1);
      return {
        outputs: {},
        state: { table: scatterRows(need(state, "table"), need(inputs, "at"), fresh) },
      };
    },
  },
  gradient: {
    inputs: { ids },
    body: (state, inputs) => {
      const loss = (table: tf.Tensor) => {
        const x = tf.gather(table, need(inputs, "ids"));
        return tf.sum(tf.square(tf.matMul(x, table, false, true))) as tf.Scalar;
      };
      const gradient = tf.grad(loss)(need(state, "table"));
      return { outputs: {}, state: { table: tf.sub(need(state, "table"), tf.mul(gradient, 0.01)) } };
    },
  },
};

const values = (size: number, scale: number) =>
  Float32Array.from({ length: size }, (_, index) => scale * Math.sin(12.9898 * (index + 1)));
const contents = { table: values(32 * width, 1), stack: values(layers * width * width, 0.3) };
const asked = Int32Array.of(3, 31, 0, 3, 17);

describe("bfloat16", () => {
  let backend: Backend;
  let expected: Record<string, Float32Array>;

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
    expected = results(build("float32", { mode: "eager" }));
  });

  function build(stored: "float32" | "bfloat16", options: Partial<JitOptions>): JitModule {
    const state = {
      table: { shape: [32, width], dtype: "float32", stored },
      stack: { shape: [layers, width, width], dtype: "float32", stored },
    } as const;
    const module = jit({ backend, state, functions, ...options });
    module.writeState(contents);
    return module;
  }

  function results(module: JitModule): Record<string, Float32Array> {
    const logits = module.call("model", { ids: asked })["logits"] as Float32Array;
    const y = module.call("unstacked", { ids: asked })["y"] as Float32Array;
    module.call("gradient", { ids: asked });
    module.call("rows", { at: Int32Array.of(4, 1, 30, 15) });
    const table = module.readState(["table"])["table"] as Float32Array;
    module.dispose();
    return { logits, y, table };
  }

  test.each([
    ["graph", "bfloat16", "float32"],
    ["xla", "bfloat16", "float32"],
    ["graph", "float32", "bfloat16"],
    ["xla", "float32", "bfloat16"],
    ["graph", "bfloat16", "bfloat16"],
    ["xla", "bfloat16", "bfloat16"],
  ] as const)(
    "in mode %s with products in %s and state in %s is near float32, and not equal",
    (mode, precision, stored) => {
      const module = build(stored, { mode, precision });
      expect(module.precision).toBe(precision);
      const actual = results(module);
      for (const [name, array] of Object.entries(expected)) {
        const scale = array.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
        expectClose(actual[name] as Float32Array, array, 0, 2 * TOLERANCE * scale);
        expect(actual[name]).not.toEqual(array);
      }
    },
  );

  test("keeps what is stored to 8 bits of mantissa, and gives it back as float32", () => {
    const module = build("bfloat16", { mode: "graph" });
    const table = module.readState(["table"])["table"] as Float32Array;
    expectClose(table, contents.table, 2 ** -8, 0);
    module.writeState({ table });
    expect(module.readState(["table"])["table"]).toEqual(table);
    module.dispose();
  });

  test("is said not to be had in mode eager, which computes in float32", () => {
    const module = build("bfloat16", { mode: "eager", precision: "bfloat16" });
    expect(module.precision).toBe("float32");
    expect(results(module)).toEqual(expected);
  });

  test("is refused for state that is not float32", () => {
    const state = { count: { shape: [2], dtype: "int32", stored: "bfloat16" } } as const;
    expect(() => jit({ backend, state, functions: {} })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTIONS" }),
    );
  });
});
