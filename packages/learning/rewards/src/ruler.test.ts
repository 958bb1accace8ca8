import { describe, expect, it } from "vitest";
import { rewardByName } from "./reward.js";
import { rulerRuleOf, rulerScores } from "./ruler.js";

describe("rulerScores", () => {
  it.each([
    ["every reference in the reply", "1820699, 5796920", ["1820699", "5796920"], 1, 1],
    ["half of the references", "it is 1820699", ["1820699", "5796920"], 0.5, 1],
    ["one of three", "HAQUSO", ["haquso", "mipice", "zajuti"], 1 / 3, 1],
    ["none", "I do not know", ["1820699"], 0, 0],
    ["an empty reply", "", ["1820699"], 0, 0],
    ["case on either side", "The Denver BRONCOS won", ["denver broncos"], 1, 1],
    ["a reference inside a longer word", "xx1820699xx", ["1820699"], 1, 1],
    ["the same reference twice counts twice", "a", ["a", "a", "b"], 2 / 3, 1],
    ["no article or punctuation is removed", "Denver Broncos", ["the Denver Broncos"], 0, 0],
    ["a control character does not join words", "18\u000020699", ["1820699"], 0, 0],
    ["a tab becomes a line feed, as in the reference", "a\tb", ["a\nb"], 1, 1],
    ["white space at the ends goes before control characters become line feeds", "\u0001 x", ["\n x"], 0, 0],
  ])("%s", (_, reply, references, all, part) => {
    const scores = rulerScores(reply, references);
    expect(scores.all).toBeCloseTo(all, 12);
    expect(scores.part).toBe(part);
  });

  it("refuses a task without references", () => {
    expect(() => rulerScores("x", [])).toThrow(/NO_GROUND_TRUTH/);
  });
});

describe("rulerRuleOf", () => {
  it("takes part for questions and all for everything else, and knows no other task", () => {
    expect(["qa_1", "qa_2"].map(rulerRuleOf)).toEqual(["part", "part"]);
    expect(["niah_single_1", "niah_multiquery", "vt", "cwe", "fwe"].map(rulerRuleOf)).toEqual(
      Array.from({ length: 5 }, () => "all"),
    );
    expect(() => rulerRuleOf("qa_x")).toThrow(/"qa_x" is not a RULER task/);
  });
});

describe("rewards by RULER's rules", () => {
  it("score the whole reply and tell both rules as components", () => {
    const long = `4155263 ${"and so on ".repeat(100)}`;
    const answers = ["4155263", "1820699"];
    expect(rewardByName("ruler-all")(long, answers)).toEqual({
      reward: 0.5,
      components: { all: 0.5, part: 1 },
    });
    expect(rewardByName("ruler-part")(long, answers).reward).toBe(1);
  });
});
