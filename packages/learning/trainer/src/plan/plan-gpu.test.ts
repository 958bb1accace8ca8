import { parseModelConfig } from "@palimpsest/model";
import { expect, test } from "vitest";
import { parseRecipe } from "../recipe/recipe.js";
import { checkFitsGpu } from "./plan-gpu.js";
import { runMemory } from "./run-memory.js";

const gib = 2 ** 30;

/** The shape of a model of three thousand million parameters. */
const model = parseModelConfig({
  architecture: "qwen2",
  vocabSize: 151_936,
  hiddenSize: 2048,
  layers: 36,
  heads: 16,
  kvHeads: 2,
  headDim: 128,
  intermediateSize: 11_008,
  tieWordEmbeddings: true,
  maxPositions: 4096,
});

function recipe(extra = "", gpus = 0.5, { actors = 1, learnerGpus = 0.5 } = {}) {
  return parseRecipe(
    `
name: large
seed: 1
model: { path: somewhere }
agent: { preset: memagent }
data: { source: jsonl, path: questions.jsonl }
rollout: { actors: ${actors}, maxBatch: 64, maxTokens: 4096, precision: bfloat16, gpus: ${gpus} }
reward: { name: answer-f1 }
learner:
  preset: memagent
  groupSize: 8
  precision: bfloat16
  buckets: [{ rows: 4, length: 2048 }]
learnerGpus: ${learnerGpus}
train: { steps: 5, groupsPerStep: 8 }
${extra}`,
    "/recipes",
    "/recipes/large.yaml",
  );
}

test("a run that its GPU is too small for is refused, with sizes and settings", () => {
  expect(() => checkFitsGpu(recipe(), model, 79 * gib)).toThrow(
    /CONFIG_INVALID.*a GPU has 79\.0 GiB, but the learner needs about \d+\.\d GiB on its GPU; no setting but learner\.lora fits it on this GPU: set learner\.replicas and learnerGpus to 2, with learner\.memory \{ keep: nothing, optimizerState: sharded \}, or set learner\.lora.*plan\.gpuGib/,
  );
  expect(() => checkFitsGpu(recipe(), model, 400 * gib)).not.toThrow();
});

test("what is not on a GPU is not asked, and the recipe's own number goes before the GPU's", () => {
  expect(() => checkFitsGpu(recipe(), model, undefined)).not.toThrow();
  expect(() => checkFitsGpu(recipe("plan: { gpuGib: 400 }"), model, 79 * gib)).not.toThrow();
  expect(() => checkFitsGpu(recipe("plan: { gpuGib: 24 }"), model, 400 * gib)).toThrow(/plan\.gpuGib is 24/);
});

test("rollout actors that share a GPU without the learner are counted together", () => {
  // About 15 GiB each.
  const fits = (actors: number, gpus: number, learnerGpus: number, gpuGib = 50) =>
    checkFitsGpu(recipe("", gpus, { actors, learnerGpus }), model, gpuGib * gib);
  expect(() => fits(3, 0.25, 0)).not.toThrow();
  expect(() => fits(4, 0.25, 0)).toThrow(
    /CONFIG_INVALID.*4 rollout actors \(1\d\.\d GiB each\) share one, because rollout\.gpus is 0\.25; use a smaller rollout\.maxBatch/,
  );
  // Two of a half share a GPU, and whole ones none.
  expect(() => fits(8, 0.5, 0)).not.toThrow();
  expect(() => fits(8, 1, 0, 20)).not.toThrow();
});

test("a GPU's keys and values take half of what pages take", () => {
  const cacheBytes = (gpus: number) => {
    const { rolloutDeviceBytes, learner } = runMemory(recipe("", gpus), model);
    return rolloutDeviceBytes - learner.samplerWeightsBytes / 2;
  };
  // 64 rows of 4,096 tokens, keys and values of 36 layers with 2 heads of 128.
  const values = 64 * 4096 * 2 * 36 * 2 * 128;
  expect(cacheBytes(0)).toBe(4 * values);
  expect(cacheBytes(0.5)).toBe(2 * values);
});

test("weights that are staged are on the GPU twice", () => {
  const { rollout, ...rest } = recipe();
  const { rolloutDeviceBytes, learner } = runMemory({ ...rest, rollout }, model);
  const staged = runMemory({ ...rest, rollout: { ...rollout, weightUpdates: "staged" } }, model);
  expect(staged.rolloutDeviceBytes - rolloutDeviceBytes).toBe(learner.samplerWeightsBytes / 2);
});
