const common = {
  architecture: "qwen2",
  vocabSize: 151_936,
  kvHeads: 2,
  headDim: 128,
  tieWordEmbeddings: true,
} as const;
/** SmolLM2-like, Qwen2.5-0.5B, Qwen2.5-3B, Qwen3-4B, Qwen2.5-7B. */
export const shapes = {
  small: {
    ...common,
    vocabSize: 1024,
    hiddenSize: 256,
    layers: 6,
    heads: 4,
    headDim: 64,
    intermediateSize: 688,
  },
  "0.5B": { ...common, hiddenSize: 896, layers: 24, heads: 14, headDim: 64, intermediateSize: 4864 },
  "3B": { ...common, hiddenSize: 2048, layers: 36, heads: 16, intermediateSize: 11_008 },
  "4B": {
    ...common,
    ...{ architecture: "qwen3", hiddenSize: 2560, layers: 36, heads: 32, kvHeads: 8, intermediateSize: 9728 },
  },
  "7B": {
    ...common,
    ...{ hiddenSize: 3584, layers: 28, heads: 28, kvHeads: 4, intermediateSize: 18_944 },
    ...{ vocabSize: 152_064, tieWordEmbeddings: false },
  },
} as const;
