import { type JitMode, jit, loadBackend, tf } from "@palimpsest/jit";
import { describe, expect, it } from "vitest";
import { type OwnMask, replyAttention } from "./reply-attention.js";

const [P, K, M, G, Lp, Lr, d] = [2, 2, 3, 2, 5, 7, 4];
const shapes = {
  query: [P, K, M, G, Lr, d],
  promptKeys: [P, K, Lp, d],
  promptValues: [P, K, Lp, d],
  ownKeys: [P, K, M, Lr, d],
  ownValues: [P, K, M, Lr, d],
  gradient: [P, K, M, G, Lr, d],
} as const;
const names = ["query", "promptKeys", "promptValues", "ownKeys", "ownValues"] as const;

/** The attention's result, and the gradients of a weighted sum of it. */
async function resultsOf(mode: JitMode, own: OwnMask["kind"], block: number) {
  const inputs = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, { shape, dtype: "float32" as const }]),
  );
  const module = jit({
    ...{ backend: await loadBackend(), mode, state: {} },
    functions: {
      attend: {
        inputs,
        body: (_state, given) => {
          const at = (name: string) => given[name] as tf.Tensor;
          // The second prompt ends two places earlier.
          const promptBias = tf.tensor3d([0, 0, 0, 0, 0, 0, 0, 0, -1e9, -1e9], [P, 1, Lp]);
          const later = tf
            .range(0, Lr, 1, "int32")
            .reshape([1, Lr])
            .greater(tf.range(0, Lr, 1, "int32").reshape([Lr, 1]));
          const bias = later.toFloat().mul(-1e9).reshape([1, Lr, Lr]);
          const mask: OwnMask = own === "dense" ? { kind: "dense", bias } : { kind: "blocked", block };
          const attend = (...tensors: tf.Tensor[]) => {
            const [query, promptKeys, promptValues, ownKeys, ownValues] = tensors as [
              tf.Tensor,
              tf.Tensor,
              tf.Tensor,
              tf.Tensor,
              tf.Tensor,
            ];
            return replyAttention(query, { promptKeys, promptValues, ownKeys, ownValues }, promptBias, mask);
          };
          const tensors = names.map(at);
          const gradients = tf.grads((...all) =>
            attend(...all)
              .mul(at("gradient"))
              .sum(),
          )(tensors);
          return {
            outputs: {
              value: attend(...tensors),
              ...Object.fromEntries(names.map((name, i) => [name, gradients[i] as tf.Tensor])),
            },
          };
        },
      },
    },
  });
  const arrays = Object.entries(shapes).map(([name, shape], kind) => {
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    return [name, Float32Array.from({ length: size }, (_, i) => Math.sin(7.3 * i + kind))] as const;
  });
  const outputs = module.call("attend", Object.fromEntries(arrays));
  module.dispose();
  return outputs;
}

describe("attention of replies in blocks", () => {
  it.each([
    ["eager", 1],
    ["eager", 4],
    ["graph", 3],
    ["xla", 4],
  ] as const)(
    "gives in mode %s, %i places at a time, the numbers and gradients of all at once",
    async (mode, block) => {
      const wanted = await resultsOf(mode, "dense", 0);
      const actual = await resultsOf(mode, "blocked", block);
      for (const [name, array] of Object.entries(wanted)) {
        const values = [...array];
        expect(values.some((value) => Math.abs(value) > 0.1)).toBe(true);
        const worst = values.reduce(
          (most, value, i) => Math.max(most, Math.abs(value - (actual[name]?.[i] ?? 9))),
          0,
        );
        expect(worst, name).toBeLessThan(1e-5);
      }
    },
  );
});
