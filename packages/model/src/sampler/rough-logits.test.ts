import { jit, loadBackend, tf } from "@palimpsest/jit";
import { expect, test } from "vitest";
import { smallConfig } from "../testing/index.js";
import { drawTokens, drawUniform, greedyInverseTemperature } from "./draw.js";
import { nextLogits } from "./packed-layers.js";
import { ROUGH_HEAD } from "./packed-weights.js";
import { hasRoughLogits, roughLogits } from "./rough-logits.js";

const backend = await loadBackend({ threads: 1 });
const rows = 24;
const config = smallConfig({
  vocabSize: 1024,
  hiddenSize: 64,
  heads: 4,
  headDim: 16,
  tieWordEmbeddings: true,
});

/** Draws with exact logits, with rough ones, and with those of the product in bfloat16 alone. */
function draws(inverseTemperature: number, spread: number) {
  const float32 = (shape: number[]) => ({ shape, dtype: "float32" as const });
  const head = [config.vocabSize, config.hiddenSize];
  const module = jit({
    backend,
    mode: "graph",
    precision: "bfloat16",
    state: {
      embedding: float32(head),
      [ROUGH_HEAD]: { ...float32(head), stored: "bfloat16" },
      finalNorm: float32([config.hiddenSize]),
    },
    functions: {
      draw: {
        inputs: { x: float32([rows, config.hiddenSize]), uniforms: float32([rows]) },
        body: (state, { x, uniforms }) => {
          const inverse = tf.fill([rows], inverseTemperature);
          const [hidden, uniform] = [x as tf.Tensor, uniforms as tf.Tensor];
          const { logits, logitsAt } = roughLogits(state, hidden, config);
          const exact = drawTokens(nextLogits(state, hidden, config), uniform, inverse);
          const rough = drawTokens(logits, uniform, inverse, logitsAt);
          const plain = drawTokens(
            nextLogits({ ...state, embedding: state[ROUGH_HEAD] as tf.Tensor }, hidden, config),
            uniform,
            inverse,
          );
          return {
            outputs: Object.fromEntries(
              Object.entries({ exact, rough, plain }).flatMap(([name, { tokens, logprobs }]) => [
                [`${name}Tokens`, tokens],
                [name, logprobs],
              ]),
            ),
          };
        },
      },
    },
  });
  const values = (size: number, seed: number, factor: number) =>
    Float32Array.from({ length: size }, (_, i) => factor * (drawUniform(seed, i) - 0.5));
  const weights = values(config.vocabSize * config.hiddenSize, 1, spread);
  module.writeState({
    embedding: weights,
    [ROUGH_HEAD]: weights,
    finalNorm: new Float32Array(config.hiddenSize).fill(1),
  });
  const x = values(rows * config.hiddenSize, 2, 1);
  const drawn = module.call("draw", { x, uniforms: values(rows, 3, 0.5).map((value) => value + 0.25) });
  module.dispose();
  /** The largest difference to exact log-probs where the same token was drawn, and how often that was. */
  const worst = (name: string): [difference: number, same: number] => {
    const same = Array.from({ length: rows }, (_, i) => i).filter(
      (i) => drawn[`${name}Tokens`]?.[i] === drawn["exactTokens"]?.[i],
    );
    const differences = same.map((i) => Math.abs(Number(drawn[name]?.[i]) - Number(drawn["exact"]?.[i])));
    return [Math.max(...differences), same.length];
  };
  return { rough: worst("rough"), plain: worst("plain") };
}

test("log-probs of rough logits are within 2e-2, though a product in bfloat16 alone is not", () => {
  // Logits of about 25 at most, as those of SmolLM2.
  const { rough, plain } = draws(1, 3);
  expect(rough[1]).toBeGreaterThan(rows / 2);
  expect(rough[0]).toBeLessThan(2e-2);
  expect(plain[0]).toBeGreaterThan(2e-2);
});

test("a greedy row takes the most likely token", () => {
  const { rough } = draws(greedyInverseTemperature, 3);
  expect(rough).toEqual([expect.any(Number), rows]);
  expect(rough[0]).toBeLessThan(2e-2);
});

test("a vocabulary that is not whole blocks, or a state without that head, has none", () => {
  expect(hasRoughLogits({}, config)).toBe(false);
  expect(hasRoughLogits({ [ROUGH_HEAD]: tf.scalar(0) }, config)).toBe(true);
  expect(hasRoughLogits({ [ROUGH_HEAD]: tf.scalar(0) }, { ...config, vocabSize: 1021 })).toBe(false);
});
