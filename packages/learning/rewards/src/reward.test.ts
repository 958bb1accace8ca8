import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boxedAnswer, boxedText, normalizeBoxed } from "./boxed.js";
import { locomoF1 } from "./locomo/answer-f1.js";
import { bestQaMetrics, containedFraction, qaMetrics } from "./qa-metrics.js";
import { boxedExactMatch, rewardByName, rewardNames } from "./reward.js";
import { rewardConfigSchema, trajectoryReward } from "./trajectory-reward.js";

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

  it("does not take an empty box for a gold of which its comparison leaves nothing", () => {
    for (const gold of ["\\$", "\\!", "\\%"]) {
      expect(boxedExactMatch("\\boxed{}", [gold]).reward).toBe(0);
      expect(boxedExactMatch(`\\boxed{${gold}}`, [gold]).reward).toBe(1);
    }
  });

  it("is read without commands that only say how text looks", () => {
    for (const [box, read] of [
      ["\\text{Paris}", "Paris"],
      ["\\textbf{\\text{New York}}, \\mathrm{NY}", "New York, NY"],
      ["\\text{50\\%}", "50%"],
      ["\\frac{1}{2}", "\\frac{1}{2}"],
      ["{Paris}", "{Paris}"],
    ] as const)
      expect(boxedText(`So \\boxed{${box}}`)).toBe(read);
    expect(boxedText("Paris")).toBeNull();
  });
});

describe("question-answering metrics", () => {
  it("are 0 where prediction or gold is empty after normalization", () => {
    const zero = { exactMatch: 0, f1: 0, precision: 0, recall: 0, subExactMatch: 0 };
    for (const [prediction, gold] of [
      [null, "x"],
      ["", ""],
      [" ", "a"],
      ["The.", "Theodore"],
      ["x", "a"],
      ["+", "-"],
      ["c++", "+"],
      ["banana", "A"],
    ] as const) {
      expect(qaMetrics(prediction, gold)).toEqual(zero);
    }
  });

  it("compare a gold of which normalization leaves nothing as it is written", () => {
    const one = { exactMatch: 1, f1: 1, precision: 1, recall: 1, subExactMatch: 1 };
    for (const gold of ["A", "An", "The", "a.", "The The", "!!!", "+", "-", "?", "A, an", "…", "“the”"]) {
      expect(qaMetrics(gold, gold), gold).toEqual(one);
      expect(containedFraction(`it is ${gold} !`, [gold, "none"]), gold).toBe(0.5);
      for (const name of rewardNames) {
        const said = name.startsWith("boxed") ? `\\boxed{${gold}}` : gold;
        expect(rewardByName(name)(said, [gold]).reward, `${name} ${gold}`).toBe(1);
        expect(rewardByName(name)("\\boxed{}", [gold]).reward, `${name} ${gold}`).toBe(0);
      }
    }
    expect(qaMetrics("A.", "a")).toEqual(one);
    expect(qaMetrics("option A", "A")).toMatchObject({ exactMatch: 0, subExactMatch: 1, precision: 0.5 });
  });

  it("leave no answer out that equals its gold, whatever it is written with", () => {
    const signs = fc.constantFrom(..."aAnthe \t.,!+-'\"“…%$\\{}B9é中");
    fc.assert(
      fc.property(fc.string({ unit: signs, maxLength: 8 }), (gold) => {
        const right = gold.trim() === "" ? 0 : 1;
        expect(qaMetrics(gold, gold)).toMatchObject({ exactMatch: right, f1: right, subExactMatch: right });
        expect(locomoF1("single-hop", gold, gold)).toBe(right);
        expect(locomoF1("multi-hop", gold, gold)).toBeGreaterThanOrEqual(right * Number(!gold.includes(",")));
      }),
    );
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

describe("unusedPasses", () => {
  const task = { id: "1", question: "q", answers: ["tea"], document: "", metadata: {} };
  const episode = (answer: string, counters?: Record<string, number>) => ({
    answer,
    conversations: [],
    memorySteps: [],
    ...(counters ? { counters } : {}),
  });
  const reward = trajectoryReward(rewardConfigSchema.parse({ name: "boxed-exact-match", unusedPasses: 0.2 }));

  it("pays right answers for passes that were not needed, and wrong ones nothing", async () => {
    expect((await reward(task, episode("\\boxed{tea}", { unused_passes: 0.5 }))).reward).toBeCloseTo(1.1);
    expect((await reward(task, episode("\\boxed{tea}", { unused_passes: 0 }))).reward).toBe(1);
    expect((await reward(task, episode("\\boxed{milk}", { unused_passes: 1 }))).reward).toBe(0);
  });

  it("names the agent that counts passes where an episode has none", () => {
    expect(() => reward(task, episode("\\boxed{tea}"))).toThrow(
      /unusedPasses: is 0\.2.*use the agent parallel/,
    );
  });
});
