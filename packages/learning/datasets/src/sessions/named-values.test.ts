import { describe, expect, it } from "vitest";
import { namesAnswer, namesValue, oldValues } from "./named-values.js";

describe("namesValue", () => {
  it("finds numbers in digits and words, with commas, and whole words alone", () => {
    expect(namesValue("I own twenty-five books.", "25")).toBe(true);
    expect(namesValue("It cost $350,000.", "350000")).toBe(true);
    expect(namesValue("My best time is 25:50 now", "25:50")).toBe(true);
    expect(namesValue("I own 14 books", "4")).toBe(false);
    expect(namesValue("the LYON fair", "Lyon")).toBe(true);
    expect(namesValue("Lyonnaise", "Lyon")).toBe(false);
  });
});

describe("namesAnswer", () => {
  it("takes all words in a row, or each number", () => {
    expect(namesAnswer("You own four of them.", "4 books")).toBe(true);
    expect(namesAnswer("In the garden shed, I think", "the garden shed")).toBe(true);
    expect(namesAnswer("In the garden", "the garden shed")).toBe(false);
    expect(namesAnswer("3", "25 minutes and 50 seconds")).toBe(false);
  });
});

describe("oldValues", () => {
  const of = (earlier: string, later: string, answer: string, question = "How many?") =>
    oldValues({ earlier: [earlier], later: [later], answers: [answer], question });

  it("are numbers that only the earlier statement has, where the answer is a number", () => {
    expect(of("I ran 5 km in 28:10.", "I ran 5 km in 25:50!", "25:50")).toEqual(["28:10"]);
    expect(of("I tried three places in May", "I tried four places", "four")).toEqual(["3"]);
    // Of several numbers those with the answer's unit.
    expect(of("I merged 150 commits of 12 branches.", "165 commits are in", "165 commits")).toEqual(["150"]);
    expect(of("It is $400 for 2 nights in May 2024", "Now it is $550", "$550")).toEqual(["400"]);
  });

  it("are names that only the earlier statement has, where the answer is a name", () => {
    expect(of("She works for Acme Labs and I'm glad.", "She works for Initech.", "Initech")).toEqual([
      "Acme Labs",
    ]);
  });

  it("are none where the change is in plain words, which cannot be seen", () => {
    expect(of("I keep shoes under the bed.", "I keep shoes in a rack.", "In a rack")).toEqual([]);
  });
});
