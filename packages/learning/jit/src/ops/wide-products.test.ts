import type * as tfTypes from "@tensorflow/tfjs-core";
import { expect, it } from "vitest";
import { loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import { wideProducts } from "./wide-products.js";

const size = 64;
const numbers = (scale: number) =>
  Float32Array.from({ length: size * size }, (_, i) => scale * Math.sin(i * 7.3));

it("wide products keep the digits that others lose in bfloat16, but for what is stored in it", async () => {
  const backend = await loadBackend({ prefer: "tensorflow" });
  const shape = [size, size] as const;
  const module = jit({
    backend,
    mode: "graph",
    precision: "bfloat16",
    state: { full: { shape, dtype: "float32" }, half: { shape, dtype: "float32", stored: "bfloat16" } },
    functions: {
      all: {
        inputs: { x: { shape, dtype: "float32" } },
        body: ({ full, half }, { x }) => {
          const by = (w: tfTypes.Tensor | undefined) => tf.matMul(x as tfTypes.Tensor, w as tfTypes.Tensor);
          return {
            outputs: {
              plain: by(full),
              wide: wideProducts(() => by(full)),
              stored: wideProducts(() => by(half)),
              storedPlain: by(half),
            },
          };
        },
      },
    },
  });
  const [x, w] = [numbers(3), numbers(2)];
  module.writeState({ full: w, half: w });
  const { plain, wide, stored, storedPlain } = module.call("all", { x });
  module.dispose();
  const exact = tf.tidy(() =>
    tf.matMul(tf.tensor2d(x, [size, size]), tf.tensor2d(w, [size, size])).dataSync(),
  );
  const furthest = (given: ArrayLike<number> | undefined) =>
    Math.max(...Array.from(exact, (value, i) => Math.abs(value - (given?.[i] ?? Number.NaN))));
  expect(furthest(wide)).toBeLessThan(1e-3);
  expect(furthest(plain)).toBeGreaterThan(0.05);
  expect(stored).toEqual(storedPlain);
});
