import { describe, expect, test } from "vitest";
import { loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { callable } from "../ops/callable.js";
import { scan } from "../ops/scan.js";
import type { JitFunction } from "../trace/jit-function.js";
import { jit } from "./module.js";

const backend = await loadBackend({ prefer: "tensorflow" });

const given = Float32Array.of(0.1, -0.2, 0.3, 0.7);

/** Each gives back the four numbers that it is given. */
const uses: Readonly<Record<string, (y: tf.Tensor) => tf.Tensor>> = {
  "what is called": (y) => callable(([z]) => [(z as tf.Tensor).mul(1)])([y])[0] as tf.Tensor,
  "a loop": (y) => {
    const { carry } = scan({
      carry: [tf.zerosLike(y)],
      xs: [tf.ones([2])],
      body: ([before], [row]) => ({ carry: [(before as tf.Tensor).add(y.mul(row as tf.Tensor))] }),
    });
    return (carry[0] as tf.Tensor).mul(0.5);
  },
  "a loop over its rows": (y) =>
    scan({ carry: [], xs: [y], body: (_, [row]) => ({ carry: [], ys: [(row as tf.Tensor).mul(1)] }) })
      .ys[0] as tf.Tensor,
  "a reshape": (y) => y.reshape([4]),
};

describe.each(["graph", "xla"] as const)(
  "in mode %s with precision bfloat16, a value that a product rounds stays float32 for",
  (mode) => {
    test.each(Object.keys(uses))("%s", (name) => {
      const f: JitFunction = {
        inputs: { x: { shape: [2, 2], dtype: "float32" } },
        body: (_, { x }) => {
          const y = tf.mul(x as tf.Tensor, 1.001);
          const product = tf.matMul(y, y);
          return { outputs: { product, y: (uses[name] as (y: tf.Tensor) => tf.Tensor)(y) } };
        },
      };
      const module = jit({ backend, mode, precision: "bfloat16", state: {}, functions: { f } });
      const { y } = module.call("f", { x: given });
      module.dispose();
      given.forEach((value, i) => {
        expect(y?.[i]).toBeCloseTo(value * 1.001, 6);
      });
    });
  },
);
