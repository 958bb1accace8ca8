/** Windows and layers that attend differently: a learner gives sampled tokens the log-probs that the sampler gave them. */
import { loadBackend, tf } from "@palimpsest/jit";
import { createSampler, initParameters, type ModelConfig, parameterShapes } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { expect, it, onTestFinished } from "vitest";
import { MemoryConfig } from "../config/memory-config.js";
import { tokenPass } from "./token-pass.js";

const backend = await loadBackend();
const scheme = { projectionStd: 0.3, residualStd: 0.3, headStd: 0.4 };
const layers = (count: number, isLocal: (layer: number) => boolean) =>
  Array.from({ length: count }, (_, layer) => isLocal(layer));

const models: Readonly<Record<string, ModelConfig>> = {
  "a Mistral": smallConfig({ layers: 3, slidingWindow: { size: 4, layers: layers(3, () => true) } }),
  "a deep Qwen3": smallConfig({
    architecture: "qwen3",
    layers: 9,
    slidingWindow: { size: 5, layers: layers(9, (layer) => layer > 3) },
  }),
  "a Gemma": smallConfig({
    architecture: "gemma3",
    layers: 3,
    tieWordEmbeddings: true,
    slidingWindow: { size: 5, layers: layers(3, (layer) => layer !== 1), ropeTheta: 50 },
  }),
};

it.each(Object.entries(models))("of %s", async (_name, config) => {
  const parameters = initParameters(config, 2, scheme);
  const sampler = createSampler({ backend, config, parameters, maxBatch: 4, maxLength: 32, mode: "eager" });
  onTestFinished(() => sampler.close());
  const prompts = [1, 3, 12].map((length) => Array.from({ length }, (_, t) => (t * t * 5 + 3 * t) % 16));
  const length = 24;
  const sampled = await Promise.all(
    prompts.map((promptTokenIds, seed) => {
      const maxTokens = length - promptTokenIds.length;
      return sampler.generate({ promptTokenIds, maxTokens, temperature: 1, stopTokenIds: [], seed });
    }),
  );
  const rows = prompts.map((prompt, row) => [...prompt, ...(sampled[row]?.tokenIds ?? [])]);
  const shapes = parameterShapes(config);
  const tensors = Object.fromEntries(
    Object.entries(parameters).map(([name, values]) => [name, tf.tensor(values, [...(shapes[name] ?? [])])]),
  );
  const inputs = {
    tokenIds: tf.tensor2d(rows, undefined, "int32"),
    logitScales: tf.ones([rows.length * (length - 1)]),
  };
  const bucket = { rows: rows.length, length };
  for (const memory of [{}, { layers: "scan", scoresMb: 1e-4 }]) {
    const options = { bucket, model: config, memory: MemoryConfig.parse(memory), entropy: "none" } as const;
    const logprobs = tokenPass(tensors, inputs, options).logprobs.arraySync() as number[][];
    sampled.forEach(({ rolloutLogprobs }, row) => {
      const first = (prompts[row]?.length ?? 0) - 1;
      rolloutLogprobs.forEach((logprob, t) => {
        expect(Math.abs(logprob - (logprobs[row]?.[first + t] ?? Number.NaN))).toBeLessThan(1e-4);
      });
    });
  }
});
