import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BpeTokenizer } from "./bpe-tokenizer.js";
import { trainBpe } from "./bpe-trainer.js";

const specialTokens = ["<|end|>", "<|pad|>"];
const corpus = ["the cat sat on the mat", "the dog sat on the log", "the cat ate the rat at 12:30!"];

describe("a trained byte-level tokenizer", () => {
  it("brings any text of its 256 bytes back", () => {
    const tokenizer = trainBpe(corpus, { vocabSize: 300, specialTokens, alphabet: "bytes" });
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
      }),
    );
  });

  it("keeps spaces before signs, runs of spaces and line ends", () => {
    const tokenizer = trainBpe(corpus, { vocabSize: 280, specialTokens, alphabet: "bytes" });
    for (const text of ["Who ? Me .", "do n't", "  a   b \n\n c\t", " x ", "naïve — 東京 🚀"]) {
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    }
  });

  it("does not depend on the order of the texts", () => {
    const training = { vocabSize: 80, specialTokens, alphabet: "corpus" } as const;
    expect(trainBpe(corpus, training).json).toEqual(trainBpe(corpus.toReversed(), training).json);
  });

  it("merges the most frequent pair first", () => {
    const tokenizer = trainBpe(["ab ab ab ac"], { vocabSize: 6, specialTokens: [], alphabet: "corpus" });
    // Alphabet: a b c and the space, then " a" (3 times), then " ab" (2 times).
    expect(tokenizer.vocabSize).toBe(6);
    expect(tokenizer.encode(" ab")).toHaveLength(1);
    expect(tokenizer.encode(" ac")).toHaveLength(2);
  });

  it("gives special tokens the first ids and one id each in a text", () => {
    const tokenizer = trainBpe(corpus, { vocabSize: 64, specialTokens, alphabet: "corpus" });
    expect(tokenizer.specialTokenId("<|end|>")).toBe(0);
    expect(tokenizer.specialTokenId("<|pad|>")).toBe(1);
    expect(tokenizer.specialTokenId("<|none|>")).toBeUndefined();
    const ids = tokenizer.encode("the cat<|end|>");
    expect(ids.at(-1)).toBe(0);
    expect(tokenizer.decode(ids)).toBe("the cat<|end|>");
  });

  it("refuses a text with a byte that the corpus did not have", () => {
    const tokenizer = trainBpe(corpus, { vocabSize: 64, specialTokens, alphabet: "corpus" });
    expect(() => tokenizer.encode("Zebra")).toThrow(/TOKENIZER_INVALID.*"Z"/);
  });

  it("refuses a vocabulary too small for its alphabet", () => {
    expect(() => trainBpe(corpus, { vocabSize: 100, specialTokens, alphabet: "bytes" })).toThrow(
      /vocabSize 100 is less than the 2 special tokens and 256 bytes/,
    );
  });

  it("decodes ids that it does not have to nothing", () => {
    const tokenizer = trainBpe(corpus, { vocabSize: 64, specialTokens, alphabet: "corpus" });
    const ids = tokenizer.encode("the");
    expect(tokenizer.decode([1000, ...ids, 1000])).toBe(tokenizer.decode(ids));
    expect(tokenizer.decode([1000])).toBe("");
    expect(tokenizer.decode([])).toBe("");
    expect(tokenizer.encode("")).toEqual([]);
  });

  it("is the same after a trip through JSON", () => {
    const tokenizer = trainBpe(corpus, { vocabSize: 70, specialTokens, alphabet: "corpus" });
    const again = new BpeTokenizer(JSON.parse(JSON.stringify(tokenizer.json)), tokenizer.configJson);
    expect(again.vocabSize).toBe(tokenizer.vocabSize);
    expect(again.encode("the cat sat")).toEqual(tokenizer.encode("the cat sat"));
  });

  it("is no tokenizer without a vocabulary", () => {
    expect(() => new BpeTokenizer({ model: {} })).toThrow(/TOKENIZER_INVALID/);
  });
});
