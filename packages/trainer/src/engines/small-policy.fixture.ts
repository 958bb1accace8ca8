import { parseModelConfig, trainBpe } from "@palimpsest/model";

/** The tokenizer of the small policy that tests of engines use. */
export const tokenizer = trainBpe(["ben likes bats"], {
  vocabSize: 300,
  specialTokens: ["<|end|>"],
  alphabet: "bytes",
});

export const model = parseModelConfig({
  architecture: "llama",
  vocabSize: tokenizer.vocabSize,
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  kvHeads: 1,
  headDim: 8,
  intermediateSize: 24,
  tieWordEmbeddings: true,
  maxPositions: 64,
});
