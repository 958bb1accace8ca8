import { asType, jit, loadBackend, tf } from "@palimpsest/jit";
import { expect, test } from "vitest";
import { rmsNorm } from "../../forward/norm.js";
import { smallConfig } from "../../testing/index.js";
import { blockWidth, drawTokens, drawUniform, greedyInverseTemperature } from "../draw/draw.js";
import { ROUGH_HEAD } from "../weights/packed-weights.js";
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

/** Logits of about 25 at most, as those of SmolLM2. */
const spread = 3;
const values = (size: number, seed: number, factor: number) =>
  Float32Array.from({ length: size }, (_, i) => factor * (drawUniform(seed, i) - 0.5));
const weights = values(config.vocabSize * config.hiddenSize, 1, spread);
const x = values(rows * config.hiddenSize, 2, 1);

interface Draws {
  /** [rows, vocabulary]: of a product in float32, and of this machine's product in bfloat16. */
  readonly exactLogits: readonly Float32Array[];
  readonly roughProduct: readonly Float32Array[];
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
}

/** Draws with rough logits. */
function draws(inverseTemperature: number): Draws {
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
        body: (state, inputs) => {
          const [hidden, uniform] = [inputs["x"] as tf.Tensor, inputs["uniforms"] as tf.Tensor];
          const { logits, logitsAt } = roughLogits(state, hidden, config);
          const inverse = tf.fill([rows], inverseTemperature);
          const { tokens, logprobs } = drawTokens(logits, uniform, inverse, logitsAt);
          const normed = asType(
            rmsNorm(hidden, state["finalNorm"] as tf.Tensor, config.rmsNormEps),
            "bfloat16",
          );
          const product = tf.matMul(state[ROUGH_HEAD] as tf.Tensor, normed, false, true).transpose();
          return { outputs: { tokens, logprobs, product: asType(product, "float32") } };
        },
      },
    },
  });
  module.writeState({
    embedding: weights,
    [ROUGH_HEAD]: weights,
    finalNorm: new Float32Array(config.hiddenSize).fill(1),
  });
  const uniforms = values(rows, 3, 0.5).map((value) => value + 0.25);
  const drawn = module.call("draw", { x, uniforms });
  module.dispose();
  const product = Float32Array.from(drawn["product"] ?? []);
  return {
    exactLogits: products((value) => value),
    roughProduct: Array.from({ length: rows }, (_, row) =>
      product.slice(row * config.vocabSize, (row + 1) * config.vocabSize),
    ),
    tokens: Array.from(drawn["tokens"] ?? []),
    logprobs: Array.from(drawn["logprobs"] ?? []),
  };
}

/** The nearest number with 8 bits of mantissa. */
function bfloat16(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer);
  const [whole = 0] = bits;
  bits[0] = (whole + 0x7fff + ((whole >>> 16) & 1)) & 0xffff0000;
  return new Float32Array(bits.buffer)[0] as number;
}

/** The head's product of factors and results that are rounded so. */
function products(rounded: (value: number) => number): Float32Array[] {
  const { hiddenSize, vocabSize, rmsNormEps } = config;
  const head = weights.map(rounded);
  return Array.from({ length: rows }, (_, row) => {
    const values = x.subarray(row * hiddenSize, (row + 1) * hiddenSize);
    const square = values.reduce((sum, value) => sum + value * value, 0) / hiddenSize;
    const normed = values.map((value) => rounded(value / Math.sqrt(square + rmsNormEps)));
    return Float32Array.from({ length: vocabSize }, (_, token) => {
      let sum = 0;
      for (let i = 0; i < hiddenSize; i++)
        sum += (head[token * hiddenSize + i] as number) * (normed[i] as number);
      return rounded(sum);
    });
  });
}

/** A row's rough logits with those of the likeliest tokens of the eight likeliest blocks as they are. */
function corrected(rough: Float32Array, exact: Float32Array): Float32Array {
  const width = blockWidth(rough.length);
  const likely = Array.from({ length: rough.length / width }, (_, block) => {
    const values = rough.subarray(block * width, (block + 1) * width);
    const largest = Math.max(...values);
    return { token: block * width + values.indexOf(largest), largest };
  });
  const logits = rough.slice();
  for (const { token } of likely.sort((a, b) => b.largest - a.largest).slice(0, 8))
    logits[token] = exact[token] as number;
  return logits;
}

const largestAt = (logits: Float32Array) => logits.indexOf(Math.max(...logits));
const logTotal = (logits: Float32Array) => Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));

/** The largest difference between log-probs of each row's token. */
function worst(tokens: readonly number[], logprobOf: (row: number, token: number) => number): number {
  const exact = products((value) => value);
  const differences = tokens.map((token, row) => {
    const logits = exact[row] as Float32Array;
    return Math.abs(logprobOf(row, token) - ((logits[token] as number) - logTotal(logits)));
  });
  return Math.max(...differences);
}

test("log-probs of rough logits are within 2e-2 where only factors and results are rounded, though those of the product alone are not", () => {
  const [exact, rough] = [products((value) => value), products(bfloat16)];
  const { tokens } = draws(1);
  expect(
    worst(tokens, (row, token) => {
      const [own, plain] = [exact[row] as Float32Array, rough[row] as Float32Array];
      return (own[token] as number) - logTotal(corrected(plain, own));
    }),
  ).toBeLessThan(2e-2);
  const plainest = worst(tokens, (row, token) => {
    const plain = rough[row] as Float32Array;
    return (plain[token] as number) - logTotal(plain);
  });
  expect(plainest).toBeGreaterThan(2e-2);
  // A greedy row takes the most likely token.
  const likeliest = exact.map((own, row) => largestAt(corrected(rough[row] as Float32Array, own)));
  expect(likeliest).toEqual(exact.map(largestAt));
});

// A CPU without bfloat16 instructions also rounds sums in between, so that its product is compared by its own logits.
test.each([
  ["drawn", 1],
  ["greedy", greedyInverseTemperature],
])(
  "of this machine's product the likeliest logits and that of the %s token are as in float32",
  (how, inverse) => {
    const { exactLogits, roughProduct, tokens, logprobs } = draws(inverse);
    for (let row = 0; row < rows; row++) {
      const [exact, rough] = [exactLogits[row] as Float32Array, roughProduct[row] as Float32Array];
      const logits = corrected(rough, exact);
      const token = tokens[row] as number;
      expect(
        Math.abs((logprobs[row] as number) - ((exact[token] as number) - logTotal(logits))),
      ).toBeLessThan(1e-4);
      if (how === "greedy") expect(token).toBe(largestAt(logits));
    }
  },
);

test("a vocabulary that is not whole blocks, or a state without that head, has none", () => {
  expect(hasRoughLogits({}, config)).toBe(false);
  expect(hasRoughLogits({ [ROUGH_HEAD]: tf.scalar(0) }, config)).toBe(true);
  expect(hasRoughLogits({ [ROUGH_HEAD]: tf.scalar(0) }, { ...config, vocabSize: 1021 })).toBe(false);
});
