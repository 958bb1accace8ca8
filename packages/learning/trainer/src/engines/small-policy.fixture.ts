import { trainBpe } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";

/** The tokenizer of the small policy that tests of engines use. */
export const tokenizer = trainBpe(["ben likes bats"], {
  vocabSize: 300,
  specialTokens: ["<|end|>"],
  alphabet: "bytes",
});

export const model = smallConfig({ vocabSize: tokenizer.vocabSize, layers: 1, tieWordEmbeddings: true });
