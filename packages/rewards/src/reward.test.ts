import { describe, expect, it } from "vitest";
import { boxedAnswer, normalizeBoxed } from "./boxed.js";
import { bestQaMetrics, containedFraction, qaMetrics } from "./qa-metrics.js";
import { boxedExactMatch, rewardByName, rewardNames } from "./reward.js";

describe("boxedExactMatch", () => {
  it("pays for the last box that equals any right answer, spaces and case aside", () => {
    expect(boxedExactMatch(" \\boxed{tea}", ["tea"]).reward).toBe(1);
    expect(boxedExactMatch("\\boxed{milk} no, \\boxed{ New York }", ["Paris", "new york"]).reward).toBe(1);
    expect(boxedExactMatch("\\boxed{tea} no, \\boxed{milk}", ["tea"]).reward).toBe(0);
    expect(boxedExactMatch("tea", ["tea"]).reward).toBe(0);
    expect(boxedExactMatch("\\boxed{tea", ["tea"]).reward).toBe(0);
  });

  it("keeps its components apart", () => {
    expect(boxedExactMatch("\\boxed{green tea}", ["tea"])).toEqual({
      reward: 0,
      components: { exactMatch: 0, boxed: 1, f1: 2 / 3, subExactMatch: 1, containedFraction: 1 },
    });
    expect(boxedExactMatch("no box", ["tea"]).components).toEqual({
      exactMatch: 0,
      boxed: 0,
      f1: 0,
      subExactMatch: 0,
      containedFraction: 0,
    });
  });

  it("looks at the last 300 characters unless told otherwise, characters beyond 16 bits counted once", () => {
    const far = `\\boxed{tea}${"x".repeat(300)}`;
    expect(boxedExactMatch(far, ["tea"]).reward).toBe(0);
    expect(boxedExactMatch(far, ["tea"], { lastCharacters: null }).reward).toBe(1);
    expect(boxedExactMatch(`\\boxed{tea}${"😀".repeat(289)}`, ["tea"]).reward).toBe(1);
    expect(boxedExactMatch(`\\boxed{tea}${"😀".repeat(290)}`, ["tea"]).reward).toBe(0);
  });

  it("is an error without right answers, never a zero", () => {
    expect(() => boxedExactMatch("\\boxed{tea}", [])).toThrow("NO_GROUND_TRUTH");
  });
});

describe("boxedAnswer", () => {
  it("balances braces and takes the spaced form up to a dollar sign", () => {
    expect(boxedAnswer("\\boxed{a{b}c} d}")).toBe("a{b}c");
    expect(boxedAnswer("$\\boxed Paris$.")).toBe("Paris");
    expect(boxedAnswer("\\fbox{Paris}")).toBeNull();
    expect(normalizeBoxed("\\dfrac{ .5}{90^\\circ}")).toBe("\\frac{0.5}{90}");
  });
});

describe("question-answering metrics", () => {
  it("are 0 where prediction or gold is empty after normalization", () => {
    const zero = { exactMatch: 0, f1: 0, precision: 0, recall: 0, subExactMatch: 0 };
    for (const [prediction, gold] of [
      [null, "x"],
      ["", ""],
      ["The.", "the"],
      ["x", "a"],
    ] as const) {
      expect(qaMetrics(prediction, gold)).toEqual(zero);
    }
  });

  it("take the best over several right answers, metric by metric", () => {
    expect(bestQaMetrics("new york", ["york", "boston", "new york city"])).toMatchObject({
      exactMatch: 0,
      subExactMatch: 1,
      f1: 0.8,
      precision: 1,
      recall: 1,
    });
  });

  it("count which of several wanted values are there", () => {
    expect(containedFraction("Tea, and milk!", ["tea", "Milk", "rice", "the"])).toBe(0.5);
    expect(containedFraction(null, ["tea"])).toBe(0);
    expect(containedFraction("tea", [])).toBe(0);
  });
});

describe("rewardByName", () => {
  it("gives every reward by its name", () => {
    const score = (name: string) => rewardByName(name)("\\boxed{green tea}", ["tea", "milk"]).reward;
    expect(rewardNames.map(score)).toEqual([0, 2 / 3, 0.5, 2 / 3, 0.5, 1]);
    expect(rewardByName("boxed-exact-match", { lastCharacters: 5 })("\\boxed{tea}", ["tea"]).reward).toBe(0);
  });

  it("takes the whole reply for the answer where the reward says so", () => {
    const reward = rewardByName("answer-f1");
    expect(reward("The answer is tea.", ["tea"])).toEqual({
      reward: 0.5,
      components: { exactMatch: 0, f1: 0.5, subExactMatch: 1, containedFraction: 1 },
    });
    expect(reward(" Tea.", ["milk", "tea"]).components["exactMatch"]).toBe(1);
    expect(reward("", ["tea"]).reward).toBe(0);
    expect(() => reward("tea", [])).toThrow("NO_GROUND_TRUTH");
  });

  it("names the ones there are where it does not know one", () => {
    expect(() => rewardByName("exact")).toThrow("boxed-exact-match, boxed-f1, boxed-contained-fraction");
    expect(() => rewardByName("toString")).toThrow("UNKNOWN_REWARD");
  });
});
