import { createRandom } from "@palimpsest/std/random";
import { describe, expect, it } from "vitest";
import { SubstringIndex } from "./substring-index.js";

const scan = (texts: readonly string[], part: string) =>
  texts.flatMap((text, place) => (text.includes(part) ? [place] : []));

describe("SubstringIndex", () => {
  it.each([
    ["few letters, so that parts often stand in texts", "abc "],
    ["letters of several scripts and pairs of surrogates", "aéßж漢字😀 "],
  ])("finds what a scan finds: %s", (_, letters) => {
    const random = createRandom(letters);
    const pick = (units: number) =>
      Array.from({ length: units }, () => letters.charAt(random.below(letters.length))).join("");
    const texts = Array.from({ length: 300 }, () => pick(random.below(40)));
    const index = new SubstringIndex(texts);
    let found = 0;
    for (let i = 0; i < 2000; i++) {
      // Half are cut out of a text, so that long ones are found too.
      const text = texts[random.below(texts.length)] ?? "";
      const start = random.below(text.length + 1);
      const part = i % 2 === 0 ? pick(random.below(9)) : text.slice(start, start + random.below(20));
      const places = index.holding(part);
      expect(places).toEqual(scan(texts, part));
      found += places.length;
    }
    expect(found).toBeGreaterThan(2000);
  });

  it("finds nothing in no texts, and everything that holds the empty text", () => {
    expect(new SubstringIndex([]).holding("abc")).toEqual([]);
    expect(new SubstringIndex(["", "ab", "abc"]).holding("")).toEqual([0, 1, 2]);
    expect(new SubstringIndex(["", "ab", "abc", "abcd"]).holding("abc")).toEqual([2, 3]);
  });
});
