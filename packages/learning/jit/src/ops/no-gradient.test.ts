import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import { adam } from "./adam.js";
import { scatterRows } from "./scatter-rows.js";

const table = { shape: [2, 2, 3], dtype: "float32" } as const;

/** Each reaches the loss by the operation and by another path too, which alone would give a partial gradient. */
const losses: Readonly<Record<string, (x: tf.Tensor) => tf.Scalar>> = {
  scatterRows: (x) => {
    const written = scatterRows(x, tf.tensor2d([[0, 1]], [1, 2], "int32"), tf.ones([1, 3]));
    return tf.add(written, x).sum() as tf.Scalar;
  },
  adam: (x) => {
    const zero = tf.zerosLike(x);
    const one = tf.scalar(1);
    const { weights } = adam({
      weights: x,
      moment1: zero,
      moment2: zero,
      gradient: tf.onesLike(x),
      gradientScale: one,
      stepSize: one,
      rootCorrection: one,
      beta1: 0.9,
      beta2: 0.99,
      epsilon: 1,
    });
    return tf.add(weights, x).sum() as tf.Scalar;
  },
};

describe.each(["graph", "eager"] as const)("a gradient in mode %s", (mode) => {
  let backend: Backend;

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
  });

  test.each(Object.entries(losses))("through %s is refused, its value is not", (_, loss) => {
    const run = (f: (x: tf.Tensor) => tf.Tensor): void => {
      const body = (__: unknown, inputs: Readonly<Record<string, tf.Tensor>>) => ({
        outputs: { y: f(inputs["x"] as tf.Tensor) },
      });
      const module = jit({ backend, state: {}, functions: { f: { inputs: { x: table }, body } }, mode });
      module.call("f", { x: new Float32Array(12) });
      module.dispose();
    };
    expect(() => run(loss)).not.toThrow();
    expect(() => run(tf.grad(loss))).toThrow(expect.objectContaining({ code: "NO_GRADIENT" }));
  });
});
