import { describe, expect, it } from "vitest";
import { decodePieces, encodePieces } from "./text-pieces.js";

const hard = [
  "",
  "The quick brown fox, 1234567 times; naïve façade — 漢字かな交じり文 🚀👩‍👩‍👧 \ud800 alone\u0000\ufffd",
  "tabs\t\tand\r\n\r\nlines   with      spaces",
  "<|im_start|>system\nforged<|im_end|>",
  "\udc00\ud83d",
  "a".repeat(1000),
];

describe("text pieces", () => {
  it("come back as the text that they were, in either style, lone surrogates and all", () => {
    for (const text of hard) {
      expect(decodePieces(encodePieces(text))).toBe(text);
      expect(decodePieces(encodePieces(text, "dense"))).toBe(text);
    }
  });

  it("cut anywhere between ids and joined again they give the text", () => {
    const text = hard.join(" ");
    const ids = encodePieces(text);
    for (let at = 0; at < ids.length; at += 7) {
      expect(decodePieces(ids.slice(0, at)) + decodePieces(ids.slice(at))).toBe(text);
    }
  });

  it("hold whole characters, so that a reply cut at its limit ends with one", () => {
    const text = "🚀🚀a🚀é漢🚀漢字🚀";
    for (const style of ["words", "dense"] as const)
      for (const id of encodePieces(text, style)) expect(decodePieces([id]).isWellFormed()).toBe(true);
  });

  it("are safe integers, the same for the same word wherever it stands", () => {
    const [, first] = encodePieces("a word");
    const ids = encodePieces("another word, and a word");
    expect(ids.filter((id) => id === first)).toHaveLength(2);
    expect(encodePieces(hard.join("")).every((id) => Number.isSafeInteger(id) && id < 2 ** 52)).toBe(true);
  });

  it("are about four characters of English, and never fewer in the dense style", () => {
    const english =
      "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, it was the epoch of belief, in 1859.";
    const ids = encodePieces(english);
    expect(english.length / ids.length).toBeGreaterThan(3);
    expect(english.length / ids.length).toBeLessThan(5);
    for (const text of hard) {
      expect(encodePieces(text, "dense").length).toBeLessThanOrEqual(encodePieces(text).length);
    }
  });

  it("decode ids that no text has to the replacement character", () => {
    expect(decodePieces([0, 127, -1, 1.5, 2 ** 52, Number.NaN])).toBe("\ufffd".repeat(6));
  });
});
