/** The shapes of published models, and a small one. */

const small = { architecture: "llama", tieWordEmbeddings: true, maxPositions: 2048, headDim: 64 } as const;

export const shapes = {
  tiny: {
    ...small,
    ...{ vocabSize: 1024, hiddenSize: 256, layers: 4, heads: 4, kvHeads: 4, intermediateSize: 688 },
  },
  smollm2: {
    ...small,
    ...{ vocabSize: 49_152, hiddenSize: 576, layers: 30, heads: 9, kvHeads: 3, intermediateSize: 1536 },
  },
  "qwen-0.5b": {
    ...{ ...small, architecture: "qwen2", ropeTheta: 1e6, maxPositions: 4096 },
    ...{ vocabSize: 151_936, hiddenSize: 896, layers: 24, heads: 14, kvHeads: 2, intermediateSize: 4864 },
  },
} as const;
