/** SINGLE-4: a token's logits are the same bits whether it is a row among others or alone. */
import { expect, test } from "vitest";
import { type ModelConfig, parseModelConfig } from "../base/config.js";
import { initParameters } from "../base/parameters.js";
import { packedValues } from "../sampler/weights/packed-values.fixture.js";
import { SingleDecoder } from "./single-decoder.js";
import type { WeightFormat } from "./tiles.js";

const config = parseModelConfig({
  architecture: "qwen3",
  vocabSize: 300,
  hiddenSize: 64,
  layers: 9,
  heads: 6,
  kvHeads: 2,
  headDim: 64,
  intermediateSize: 128,
  tieWordEmbeddings: true,
  maxPositions: 64,
});
/** With a window that is shorter than the tokens, and norms, gates and embeddings of Gemma. */
const gemma = parseModelConfig({
  ...config,
  architecture: "gemma3",
  slidingWindow: { size: 7, layers: Array.from({ length: 9 }, (_, i) => i % 2 === 0), ropeTheta: 100 },
});
const weightsOf = (config: ModelConfig) =>
  new Map(
    packedValues(
      config,
      initParameters(config, 7, { projectionStd: 0.15, residualStd: 0.1, headStd: 0.3 }),
      "stacks",
    ),
  );
const tokens = Array.from({ length: 29 }, (_, i) => (i * 37) % 300);

/** Logits of all tokens, in passes of so many. */
function logitsOf(decoder: SingleDecoder, passes: readonly number[]): Float32Array[] {
  const all: Float32Array[] = [];
  for (const count of passes)
    all.push(
      ...decoder
        .next(tokens.slice(all.length, all.length + count), all.length)
        .map((logits) => Float32Array.from(logits)),
    );
  return all;
}

test.each<[WeightFormat, string, ModelConfig]>([
  ["float32", "a Qwen3", config],
  ["bfloat16", "a Qwen3", config],
  ["int8", "a Qwen3", config],
  ["float32", "a Gemma with windows", gemma],
  ["int8", "a Gemma with windows", gemma],
])("with weights of %s, of %s", (format, _name, config) => {
  const weights = weightsOf(config);
  const decoder = new SingleDecoder({ config, format, maxLength: 40, threads: 1 });
  const packing = decoder.writeWeights((name) => weights.get(name) as Float32Array, false);
  while (packing.next().done !== true);
  const alone = logitsOf(
    decoder,
    tokens.map(() => 1),
  );
  expect(logitsOf(decoder, [2, 3, 4, 5, 1, 6, 8])).toEqual(alone);
  expect(new Set(alone.flatMap((logits) => [...logits])).size).toBeGreaterThan(8000);
  decoder.dispose();
});
