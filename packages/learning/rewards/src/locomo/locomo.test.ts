import { describe, expect, it } from "vitest";
import {
  bleuOne,
  chosenOption,
  evidenceRecall,
  locomoCategory,
  locomoF1,
  locomoStems,
  porterStem,
} from "../index.js";

describe("porterStem", () => {
  it("stems as NLTK's default mode does, where that departs from Porter's paper too", () => {
    const words =
      "flies dies skies dying news enjoy happy spied died theology geology hopefully at relational";
    expect(words.split(" ").map(porterStem).join(" ")).toBe(
      "fli die sky die news enjoy happi spi die theolog geolog hope at relat",
    );
  });

  it("counts characters, not UTF-16 units", () => {
    expect(porterStem("😀s")).toBe("😀s");
    expect(porterStem("a😀😀ed")).toBe("a😀");
  });
});

describe("locomoF1", () => {
  it("compares stems without commas, punctuation, articles and the word and", () => {
    expect(locomoStems("The 1,000 running-shoes, and a España")).toEqual(["1000", "runningsho", "españa"]);
    expect(locomoF1("single-hop", "7 May 2023", "May 7, 2023")).toBe(1);
    expect(locomoF1("temporal", "June", "June 2023")).toBeCloseTo(2 / 3, 12);
  });

  it("takes a combining mark for part of its word, so that no article is cut out of it", () => {
    expect(locomoStems("espan\u0303a")).toEqual(["espan\u0303a"]);
  });

  it("scores each part of a multi-hop answer by the prediction's best part", () => {
    expect(locomoF1("multi-hop", "coffee", "tea, coffee, milk")).toBeCloseTo(1 / 3, 12);
    expect(locomoF1(1, "1,000 miles", "1000 miles")).toBe(0.5);
  });

  it("looks at an open-domain answer before its first semicolon only", () => {
    expect(locomoF1("open-domain", "she enjoys it", "Likely yes; she enjoys it")).toBe(0);
    expect(locomoF1(3, "likely yes", "Likely yes; she enjoys it")).toBe(1);
  });

  it("asks of an adversarial answer only that it abstains, and needs no right answer for it", () => {
    expect(locomoF1("adversarial", "That is Not Mentioned there", null)).toBe(1);
    expect(locomoF1(5, "blue", null)).toBe(0);
    expect(locomoF1(5, null, null)).toBe(0);
  });

  it("scores no prediction 0, and refuses a missing right answer and an unknown category", () => {
    expect(locomoF1("single-hop", null, 2022)).toBe(0);
    expect(locomoF1("single-hop", "2022", 2022)).toBe(1);
    expect(() => locomoF1("temporal", "x", null)).toThrow("NO_GROUND_TRUTH");
    expect(() => locomoCategory(0)).toThrow("use 1 to 5 or multi-hop, temporal");
  });
});

describe("chosenOption", () => {
  it("reads a letter, bare or in brackets, and takes anything longer for the answer", () => {
    const options = { a: "blue", b: "Not mentioned in the conversation" };
    const replies = [" A ", "(a)", "b", "x", "(c)", "(a) Blue"];
    expect(replies.map((reply) => chosenOption(reply, options))).toEqual([
      "blue",
      "blue",
      options.b,
      options.b,
      options.b,
      "(a) blue",
    ]);
  });
});

describe("evidenceRecall", () => {
  it("counts turns, or sessions where sessions were retrieved", () => {
    expect(evidenceRecall(["D1:3", "D1:30"], ["D1:30", "D1:3", "D3:1"])).toBeCloseTo(2 / 3, 12);
    expect(evidenceRecall(["S1", "S12"], ["D12:3", "D1:1", "D2:1"])).toBeCloseTo(2 / 3, 12);
    expect(evidenceRecall([], ["D1:1"])).toBe(0);
    expect(evidenceRecall(["D1:1"], [])).toBe(1);
    expect(evidenceRecall(null, ["D1:1"])).toBe(1);
  });
});

describe("bleuOne", () => {
  it("is the clipped share of words times the brevity penalty", () => {
    expect(bleuOne("the the cat", "The cat sat.")).toBeCloseTo((2 / 3) * Math.exp(1 - 4 / 3), 12);
    expect(bleuOne("1,000 miles", "1,000 miles")).toBe(1);
    expect(bleuOne("dog", "cat")).toBe(0);
    expect(bleuOne("", "cat")).toBe(0);
  });
});
