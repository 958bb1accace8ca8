import { describe, expect, it } from "vitest";
import { memoryNeeds } from "../base/memory-needs.js";
import { hashWeights, parameterCount } from "../base/parameters.js";
import { initModel, parseModelInit } from "./init-model.js";

const texts = ["the cat sat on the mat. the cat sat.", "the mat lay on the floor."];

describe("a model made from nothing", () => {
  it("has the vocabulary of its texts, the shape asked for and weights of the seed", () => {
    const init = parseModelInit({
      seed: 3,
      tokenizer: { vocabSize: 280 },
      model: { architecture: "qwen3", layers: 2, hiddenSize: 24, heads: 4, kvHeads: 2, headDim: 8 },
    });
    const made = initModel(init, texts);
    expect(made.config).toMatchObject({
      vocabSize: made.tokenizer?.vocabSize,
      headDim: 8,
      intermediateSize: 64,
    });
    expect(made.tokenizer?.endToken).toBe("<|im_end|>");
    expect(made.tokenizer?.decode(made.tokenizer.encode("naïve cat 猫"))).toBe("naïve cat 猫");
    expect(made.tokenizer?.encode(" the cat")).toHaveLength(2);
    expect(hashWeights(initModel(init, texts).parameters)).toBe(hashWeights(made.parameters));
    expect(hashWeights(initModel({ ...init, seed: 4 }, texts).parameters)).not.toBe(
      hashWeights(made.parameters),
    );
  });

  it("is refused by field", () => {
    expect(() => parseModelInit({ model: { layers: 0 } })).toThrow(/CONFIG_INVALID.*model\.layers/);
    expect(() => parseModelInit({ depth: 3 })).toThrow(/CONFIG_INVALID.*depth/);
    expect(() => parseModelInit({ tokenizer: { endToken: "<e>" } })).toThrow(/endToken is "<e>"/);
    expect(() => initModel(parseModelInit({ tokenizer: { vocabSize: 20 } }), texts)).toThrow(
      /vocabSize 20 is less than the 3 special tokens and 256 bytes/,
    );
    expect(() => initModel(parseModelInit({ model: { heads: 4, kvHeads: 3 } }), texts)).toThrow(/kvHeads/);
  });
});

it("what a model needs in memory is counted from its shape", () => {
  const { config, parameters } = initModel(
    parseModelInit({ model: { layers: 2, hiddenSize: 16, heads: 2 } }),
    texts,
  );
  const bytes = Object.values(parameters).reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(bytes).toBe(4 * parameterCount(config));
  expect(memoryNeeds(config)).toEqual({
    inMemoryBytes: bytes,
    // Keys and values, 2 layers, 2 heads of 8, float32.
    cachePer1000TokensBytes: 1000 * 2 * 2 * 2 * 8 * 4,
    samplingInt8Bytes: 5e8 + 2.25 * bytes + 2 * 4096 * 2 * 2 * 2 * 8 * 4,
    samplingFloat32Bytes: 5e8 + 3 * bytes + 2 * 4096 * 2 * 2 * 2 * 8 * 4,
    fullUpdateBytes: 4 * bytes,
    fullUpdateWithReferenceBytes: 5 * bytes,
  });
});
