import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordDiff } from "./word-diff.js";

const without = (kind: string, parts: ReturnType<typeof wordDiff>) =>
  parts
    .filter((part) => part.kind !== kind)
    .map(({ text }) => text)
    .join("");

describe("wordDiff", () => {
  it("shows what came and what went, words that stay as they are", () => {
    expect(wordDiff("tom likes figs.", "tom likes tea and figs.")).toEqual([
      { kind: "same", text: "tom likes " },
      { kind: "added", text: "tea and " },
      { kind: "same", text: "figs." },
    ]);
    expect(wordDiff("the old sea", "the young man sea")).toEqual([
      { kind: "same", text: "the " },
      { kind: "removed", text: "old " },
      { kind: "added", text: "young man " },
      { kind: "same", text: "sea" },
    ]);
  });

  it("knows no change, a first text and a last one", () => {
    expect(wordDiff("same", "same")).toEqual([{ kind: "same", text: "same" }]);
    expect(wordDiff("", "new")).toEqual([{ kind: "added", text: "new" }]);
    expect(wordDiff("old", "")).toEqual([{ kind: "removed", text: "old" }]);
    expect(wordDiff("", "")).toEqual([]);
  });

  it("gives both texts back, whatever they are", () => {
    const text = fc.array(fc.constantFrom("a", "b", " ", "c ", "\n", ".", "é", "漢"), { maxLength: 40 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [earlier, later] = [before.join(""), after.join("")];
        const parts = wordDiff(earlier, later);
        expect(without("removed", parts)).toBe(later);
        expect(without("added", parts)).toBe(earlier);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it("gives both texts back where nearly all was written anew, in little time", () => {
    const earlier = Array.from({ length: 4000 }, (_, i) => `old${i}`).join(" ");
    const later = `${earlier.slice(0, 40)}${Array.from({ length: 4000 }, (_, i) => `new${i}`).join(" ")}`;
    const parts = wordDiff(earlier, later);
    expect(without("removed", parts)).toBe(later);
    expect(without("added", parts)).toBe(earlier);
    expect(parts.length).toBeLessThan(10);
  });
});
