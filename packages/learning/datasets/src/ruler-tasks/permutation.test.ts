import { describe, expect, it } from "vitest";
import { codedWords, numbers, uuids, variableNames, wordKeys } from "./distinct-words.js";
import { createPermutation } from "./permutation.js";

describe("createPermutation", () => {
  it.each([1, 2, 3, 10, 1000, 4097])("gives every number below %i once", (size) => {
    const permutation = createPermutation("seed", size);
    const values = Array.from({ length: size }, (_, i) => permutation(i));
    expect(new Set(values).size).toBe(size);
    expect(Math.max(...values)).toBe(size - 1);
    expect(Math.min(...values)).toBe(0);
  });

  it("depends on the seed and leaves nothing of the order", () => {
    const of = (seed: string) => Array.from({ length: 200 }, (_, i) => createPermutation(seed, 9_000_000)(i));
    expect(of("a")).toEqual(of("a"));
    expect(of("a")).not.toEqual(of("b"));
    const rising = of("a").filter((value, i, all) => value > (all[i - 1] ?? 0)).length;
    expect(rising).toBeGreaterThan(70);
    expect(rising).toBeLessThan(130);
  });
});

describe("distinct texts", () => {
  it("are different, of one shape, and as many as were asked for", () => {
    const first = (texts: { at(i: number): string }, count = 5000) =>
      Array.from({ length: count }, (_, i) => texts.at(i));
    const cases = [
      [wordKeys("s", 1000), /^[a-z]+-[a-z]+$/],
      [wordKeys("s", 100_000), /^([a-z]+)-(?!\1-)[a-z]+-[a-z]+$/],
      [numbers("s", 7), /^[1-9]\d{6}$/],
      [numbers("s", 5), /^[1-9]\d{4}$/],
      [uuids("s"), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
      [codedWords("s"), /^(?:[b-z][aeiou]){3}$/],
      [variableNames("s"), /^[B-Z]{5}$/],
    ] as const;
    for (const [texts, shape] of cases) {
      const all = first(texts);
      expect(new Set(all).size).toBe(all.length);
      expect(all.filter((text) => !shape.test(text))).toEqual([]);
    }
    expect(wordKeys("s", 1000).size).toBeGreaterThan(30_000);
    expect(wordKeys("s", 100_000).size).toBeGreaterThan(4_000_000);
  });
});
