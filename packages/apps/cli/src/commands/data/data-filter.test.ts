import { describe, expect, it } from "vitest";
import { isRight } from "./data-filter.js";

describe("isRight", () => {
  it("takes boxed and plain equality as exact, whole words as contained", () => {
    expect(isRight("em", "It is \\boxed{The Beatles}.", ["the beatles"])).toBe(true);
    expect(isRight("em", "Beatles", ["The Beatles"])).toBe(true);
    expect(isRight("em", "It is The Beatles.", ["The Beatles"])).toBe(false);
    expect(isRight("substring", "It is The Beatles.", ["Queen", "The Beatles"])).toBe(true);
    expect(isRight("substring", "The art of cartography", ["art of car"])).toBe(false);
    expect(isRight("either", "It is The Beatles.", ["The Beatles"])).toBe(true);
  });

  it("does not find yes or no inside a sentence", () => {
    expect(isRight("either", "There is no way to know.", ["no"])).toBe(false);
    expect(isRight("either", "\\boxed{no}", ["no"])).toBe(true);
    expect(isRight("either", "", ["x"])).toBe(false);
  });
});
