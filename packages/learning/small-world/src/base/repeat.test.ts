import { describe, expect, it } from "vitest";
import { repeatRows } from "./repeat.js";

const options = {
  count: 60,
  seed: 1,
  vocabulary: [5, 6, 7, 8, 9],
  minLength: 3,
  maxLength: 6,
  rowTokens: 20,
};

describe("repeatRows", () => {
  it("say a string of the vocabulary until the row is full and count all but the first round", () => {
    const lengths = new Set<number>();
    for (const { tokenIds, lossMask } of repeatRows(options)) {
      const length = lossMask.indexOf(1);
      lengths.add(length);
      expect(tokenIds).toHaveLength(20);
      expect(tokenIds.every((id) => options.vocabulary.includes(id))).toBe(true);
      expect(tokenIds.slice(length)).toEqual(tokenIds.slice(0, -length));
      expect(lossMask).toEqual(tokenIds.map((_, at) => (at < length ? 0 : 1)));
    }
    expect([...lengths].sort()).toEqual([3, 4, 5, 6]);
  });

  it("are the same for the same seed, and a longer list begins with the shorter one", () => {
    expect(repeatRows({ ...options, count: 4 })).toEqual(repeatRows(options).slice(0, 4));
    expect(repeatRows({ ...options, seed: 2 })).not.toEqual(repeatRows(options));
  });

  it("refuse lengths that leave nothing to repeat", () => {
    expect(() => repeatRows({ ...options, maxLength: 20 })).toThrow("maxLength 20");
    expect(() => repeatRows({ ...options, minLength: 7 })).toThrow("minLength 7");
    expect(() => repeatRows({ ...options, vocabulary: [3] })).toThrow("1 ids");
  });
});
