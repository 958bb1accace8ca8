import { parseModelConfig } from "@palimpsest/model";
import { expect, it } from "vitest";
import { parseRecipe } from "./recipe.js";
import { runMemory } from "./run-memory.js";

const model = parseModelConfig({
  architecture: "llama",
  vocabSize: 300,
  hiddenSize: 64,
  layers: 4,
  heads: 4,
  kvHeads: 2,
  headDim: 16,
  intermediateSize: 128,
  tieWordEmbeddings: true,
  maxPositions: 512,
});
const cacheBytes = 2 * model.layers * model.kvHeads * model.headDim * 4 * 8 * 400;

const memoryOf = (rollout: object) => {
  const recipe = {
    name: "planned",
    model: { path: "./base" },
    agent: { preset: "tiny" },
    data: { source: "ruler", ruler: { count: 8, sentences: 8, names: 6, values: 6 } },
    rollout: { maxTokens: 400, maxBatch: 8, ...rollout },
    learner: { groupSize: 4, buckets: [{ rows: 2, length: 400 }] },
    train: { steps: 2, groupsPerStep: 3 },
  };
  return runMemory(parseRecipe(JSON.stringify(recipe), "."), model);
};

it("counts keys and values on a GPU as what products take, and on a CPU as float32", () => {
  const [whole, half] = [memoryOf({}), memoryOf({ precision: "bfloat16" })];
  expect(half.rolloutDeviceBytes).toBe(whole.rolloutDeviceBytes / 2);
  expect(whole.rolloutDeviceBytes).toBe(whole.learner.samplerWeightsBytes + cacheBytes);
  const saved = whole.rolloutBytes - half.rolloutBytes;
  expect(saved).toBe(whole.learner.samplerWeightsBytes / 2);
});
