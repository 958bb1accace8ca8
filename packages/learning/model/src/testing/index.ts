/** A model for tests. */
import { type ModelConfig, type ModelConfigInput, parseModelConfig } from "../base/config.js";

/** Returns the shape of a model that computes in milliseconds, with grouped queries like a real one. */
export const smallConfig = (changes: Partial<ModelConfigInput> = {}): ModelConfig =>
  parseModelConfig({
    architecture: "llama",
    vocabSize: 16,
    hiddenSize: 16,
    layers: 2,
    heads: 2,
    kvHeads: 1,
    headDim: 8,
    intermediateSize: 24,
    tieWordEmbeddings: false,
    maxPositions: 64,
    ...changes,
  });
