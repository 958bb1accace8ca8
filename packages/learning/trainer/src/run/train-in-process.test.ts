import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { loadBackend, tf } from "@palimpsest/jit";
import { initParameters, saveModel, trainBpe } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { beforeAll, expect, it, vi } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { parseRecipe } from "../recipe/recipe.js";
import { trainInProcess } from "./train-in-process.js";

const folder = fileFolder();
beforeAll(async () => {
  const tokenizer = trainBpe(["one small text"], {
    vocabSize: 280,
    specialTokens: ["<|end|>"],
    alphabet: "bytes",
  });
  const config = smallConfig({
    vocabSize: tokenizer.vocabSize,
    hiddenSize: 8,
    layers: 1,
    headDim: 4,
    intermediateSize: 8,
    tieWordEmbeddings: true,
    maxPositions: 128,
  });
  mkdirSync(join(folder, "base"));
  await saveModel(join(folder, "base"), { config, tokenizer, parameters: initParameters(config, 1) });
});

interface Sessions {
  loadSavedModel: (...given: unknown[]) => number;
  deleteSavedModel: (id: number) => void;
}

it("INPROCESS-3: frees sampler and learner where the questions cannot be read", async () => {
  await loadBackend({ prefer: "tensorflow", threads: 1 });
  const { binding } = tf.backend() as unknown as { binding: Sessions };
  const opened = vi.spyOn(binding, "loadSavedModel");
  const freed = vi.spyOn(binding, "deleteSavedModel");
  const recipe = {
    name: "ends-early",
    model: { path: "./base" },
    agent: { preset: "tiny", settings: { chunkTokens: 16, memoryTokens: 8, finalTokens: 8 } },
    data: { source: "jsonl", path: "./missing.jsonl" },
    rollout: { maxTokens: 64 },
    train: { steps: 1, groupsPerStep: 1 },
    learner: { groupSize: 2, buckets: [{ rows: 2, length: 64 }] },
  };
  try {
    await expect(
      trainInProcess({ recipe: parseRecipe(JSON.stringify(recipe), folder), threads: 1 }),
    ).rejects.toThrow(/missing\.jsonl/);
    expect(opened.mock.calls.length).toBeGreaterThan(0);
    expect(freed.mock.calls.length).toBe(opened.mock.calls.length);
  } finally {
    vi.restoreAllMocks();
  }
});
