import { describe, expect, test } from "vitest";
import { loadBackend } from "../backend/backend.js";
import type { StateSpec } from "../base/spec.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import type { JitFunction } from "../trace/jit-function.js";
import { asType } from "./as-type.js";
import { callable } from "./callable.js";
import { scan } from "./scan.js";

const layers = 24;
const state: Record<string, StateSpec> = {
  ...Object.fromEntries(
    Array.from({ length: layers }, (_, i) => [
      `w${i}`,
      { shape: [4, 4], dtype: "float32", stored: "bfloat16" },
    ]),
  ),
  plain: { shape: [4, 4], dtype: "float32" },
};
const contents = Object.fromEntries(
  Object.keys(state).map((name, i) => [
    name,
    Float32Array.from({ length: 16 }, (_, j) => ((i * 7 + j * 5) % 11) / 8 - 0.5),
  ]),
);

const backend = await loadBackend({ prefer: "tensorflow" });

const layer = () =>
  callable(([x, w, bias]) => {
    const product = tf.matMul(x as tf.Tensor, asType(w as tf.Tensor, "float32"));
    return [product.add(bias as tf.Tensor).tanh(), product.sum()];
  });

/** Three steps of all layers, one of them over a weight that is stored otherwise. */
const stack: JitFunction = {
  inputs: { x: { shape: [2, 4], dtype: "float32" }, bias: { shape: [4], dtype: "float32" } },
  body: (held, { x, bias }) => {
    const apply = layer();
    const step = ([before]: readonly [tf.Tensor]) => {
      let after = before;
      for (let i = 0; i < layers; i++)
        after = apply([after, held[`w${i}`] as tf.Tensor, bias as tf.Tensor])[0] as tf.Tensor;
      return { carry: [after] as const };
    };
    const { carry } = scan({ carry: [x as tf.Tensor], xs: [tf.zeros([3])], body: step });
    const [last, sum] = apply([carry[0], held["plain"] as tf.Tensor, bias as tf.Tensor]);
    return { outputs: { last: last as tf.Tensor, sum: sum as tf.Tensor } };
  },
};

const inputs = {
  x: Float32Array.from({ length: 8 }, (_, i) => i / 8 - 0.4),
  bias: Float32Array.of(0.1, -0.2, 0.3, 0),
};

describe("what a function calls", () => {
  test("computes what its body does, in every mode", () => {
    const results = (["eager", "graph", "xla"] as const).map((mode) => {
      const module = jit({ backend, mode, state, functions: { stack } });
      module.writeState(contents);
      const outputs = module.call("stack", inputs);
      module.dispose();
      return outputs;
    });
    const [eager, ...compiled] = results;
    for (const outputs of compiled)
      for (const [name, values] of Object.entries(outputs))
        values.forEach((value, i) => {
          // Weights that are stored in bfloat16 are rounded there.
          expect(value).toBeCloseTo(eager?.[name]?.[i] as number, 1);
        });
    const [graph, xla] = compiled;
    for (const [name, values] of Object.entries(graph ?? {}))
      values.forEach((value, i) => {
        expect(xla?.[name]?.[i]).toBeCloseTo(value, 5);
      });
  });

  test("is traced once in mode xla, whatever the number of calls", () => {
    const operations = (mode: "graph" | "xla") => {
      const module = jit({ backend, mode, state, functions: { stack } });
      const { stack: stats } = module.stats;
      module.dispose();
      return stats?.operations ?? 0;
    };
    expect(operations("xla")).toBeLessThan(operations("graph") / 2);
  });

  test("refuses a tensor that it was not given, in mode xla", () => {
    const body: JitFunction["body"] = (held, { x }) => {
      const secret = callable(([y]) => [(y as tf.Tensor).matMul(held["plain"] as tf.Tensor)]);
      return { outputs: { y: secret([x as tf.Tensor])[0] as tf.Tensor } };
    };
    expect(() => jit({ backend, mode: "xla", state, functions: { f: { ...stack, body } } })).toThrow(
      expect.objectContaining({ code: "TENSOR_OUT_OF_SCOPE" }),
    );
  });

  test("has a gradient where one is taken", () => {
    const body: JitFunction["body"] = (held, { x, bias }) => {
      const apply = layer();
      const loss = (y: tf.Tensor) =>
        (apply([y, held["plain"] as tf.Tensor, bias as tf.Tensor])[0] as tf.Tensor).sum() as tf.Scalar;
      return { outputs: { dx: tf.grad(loss)(x as tf.Tensor) } };
    };
    const [eager, xla] = (["eager", "xla"] as const).map((mode) => {
      const module = jit({ backend, mode, state, functions: { f: { ...stack, body } } });
      module.writeState(contents);
      const { dx } = module.call("f", inputs);
      module.dispose();
      return dx;
    });
    eager?.forEach((value, i) => {
      expect(xla?.[i]).toBeCloseTo(value, 5);
    });
  });
});
