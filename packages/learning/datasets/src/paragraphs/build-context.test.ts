import { describe, expect, it } from "vitest";
import { kolmogorovSmirnov } from "../inspect/kolmogorov.js";
import type { SourceQuestion } from "../questions/source-question.js";
import { buildContext, renderDocuments } from "./build-context.js";
import { evidencePlaces } from "./evidence-places.js";
import { ParagraphPool, paragraphText } from "./paragraph-pool.js";

const paragraph = (name: string) => ({ title: name, text: `text of ${name}` });
const pool = new ParagraphPool(Array.from({ length: 300 }, (_, i) => paragraph(`pool ${i}`)));

function aQuestion(id: string, own = 10): SourceQuestion {
  const paragraphs = Array.from({ length: own }, (_, i) => paragraph(`${id} own ${i}`));
  return { id, question: "q?", answers: ["answer"], paragraphs, gold: [own - 1, 0], facts: {} };
}
const settings = { docs: 50, seed: 1, answerFree: false, repeat: false };

describe("buildContext", () => {
  it("holds the own paragraphs once, others of the pool once, and says where the gold ones stand", () => {
    const question = aQuestion("a");
    const { texts, goldDocuments, repeatedDocs } = buildContext(question, pool, settings);
    expect(texts).toHaveLength(50);
    expect(new Set(texts).size).toBe(50);
    for (const own of question.paragraphs) expect(texts).toContain(paragraphText(own));
    expect(goldDocuments.map((place) => texts[place - 1])).toEqual(
      question.gold.map((place) => paragraphText(question.paragraphs[place] ?? paragraph("none"))),
    );
    expect(repeatedDocs).toBe(0);
    expect(renderDocuments(texts).split("\n\n")[2]).toBe(`Document 3:\n${texts[2]}`);
  });

  it("depends on seed, question and length alone", () => {
    const build = (id: string, more = {}) => buildContext(aQuestion(id), pool, { ...settings, ...more });
    expect(build("a")).toEqual(build("a"));
    expect(build("a", { seed: 2 }).texts).not.toEqual(build("a").texts);
    expect(build("b").goldDocuments).not.toEqual(build("a").goldDocuments);
    const short = new Set(build("a").texts);
    const long = build("a", { docs: 200 }).texts;
    expect(long.filter((text) => short.has(text))).toHaveLength(50);
  });

  it("keeps the evidence where fewer documents are asked for than the question brings", () => {
    const { texts, goldDocuments } = buildContext(aQuestion("a"), pool, { ...settings, docs: 4 });
    expect(texts).toHaveLength(4);
    expect(goldDocuments.every((place) => place >= 1 && place <= 4)).toBe(true);
    expect(() => buildContext(aQuestion("a"), pool, { ...settings, docs: 1 })).toThrow(
      "set docs to 2 or more",
    );
  });

  it("refuses a pool that is too small, and repeats documents only where that is allowed", () => {
    const asked = { ...settings, docs: 400 };
    expect(() => buildContext(aQuestion("a"), pool, asked)).toThrow(
      "needs 390 other paragraphs for 400 documents, and the pool has 300",
    );
    const { texts, repeatedDocs } = buildContext(aQuestion("a"), pool, { ...asked, repeat: true });
    expect(texts).toHaveLength(400);
    expect(repeatedDocs).toBe(90);
    expect(new Set(texts).size).toBe(310);
  });

  it("draws no paragraph of the question's own titles, and none with an answer where that is asked", () => {
    const telling = new ParagraphPool([
      { title: "a own 0", text: "another text under the same title" },
      { title: "x", text: "The ANSWER is here" },
      paragraph("y"),
    ]);
    const any = buildContext(aQuestion("a", 2), telling, { ...settings, docs: 4 });
    expect(any.texts.join()).not.toContain("another text");
    expect(any.texts.join()).toContain("ANSWER");
    const free = { ...settings, docs: 3, answerFree: true };
    expect(buildContext(aQuestion("a", 2), telling, free).texts.join()).not.toContain("ANSWER");
    expect(() => buildContext(aQuestion("a", 2), telling, { ...free, docs: 4 })).toThrow("contain no answer");
  });

  it("puts gold paragraphs at uniformly random places, each item anew", () => {
    const items = 2000;
    const docs = 50;
    const built = Array.from({ length: items }, (_, i) =>
      buildContext(aQuestion(`item ${i}`), pool, { ...settings, docs }),
    );
    const counts = new Array<number>(docs).fill(0);
    for (const { goldDocuments } of built)
      for (const place of goldDocuments) counts[place - 1] = (counts[place - 1] ?? 0) + 1;
    const expected = (2 * items) / docs;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 49 degrees of freedom: above 94.0 with p = 0.0001.
    expect(chiSquare).toBeLessThan(94);
    // The distance between the two, which a constant permutation would make one number.
    const gaps = built.map(({ goldDocuments: [a = 0, b = 0] }) => Math.abs(a - b));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / items;
    expect(mean).toBeGreaterThan((docs + 1) / 3 - 1);
    expect(mean).toBeLessThan((docs + 1) / 3 + 1);
    const reversed = built.filter(
      ({ goldDocuments }) => evidencePlaces(goldDocuments).evidenceOrder === "reverse",
    );
    expect(Math.abs(reversed.length / items - 0.5)).toBeLessThan(0.045);
  });
});

describe("evidencePlaces", () => {
  it("tells the order of the evidence and its least distance", () => {
    expect(evidencePlaces([3, 9])).toEqual({
      goldDocuments: "3 9",
      minDistance: 6,
      evidenceOrder: "forward",
    });
    expect(evidencePlaces([30, 12, 4])).toEqual({
      goldDocuments: "30 12 4",
      minDistance: 8,
      evidenceOrder: "reverse",
    });
    expect(evidencePlaces([2, 9, 4]).evidenceOrder).toBe("mixed");
    expect(evidencePlaces([7])).toEqual({ goldDocuments: "7", evidenceOrder: "single" });
  });
});

describe("kolmogorovSmirnov", () => {
  it("gives the distances and probabilities of the published table", () => {
    const even = Array.from({ length: 100 }, (_, i) => (i + 0.5) / 100);
    expect(kolmogorovSmirnov(even).distance).toBeCloseTo(0.005);
    expect(kolmogorovSmirnov(even).pValue).toBeCloseTo(1);
    // For n = 100 the distance 0.1340 is exceeded in 5 % of samples (Massey 1951: 1.36 / sqrt(n), less the correction).
    const shifted = even.map((value) => Math.min(1, value * (1 - 0.129) + 0.129));
    const { distance, pValue } = kolmogorovSmirnov(shifted);
    expect(distance).toBeGreaterThan(0.125);
    expect(pValue).toBeGreaterThan(0.03);
    expect(pValue).toBeLessThan(0.09);
    expect(kolmogorovSmirnov(even.map((value) => value / 2)).pValue).toBeLessThan(1e-9);
  });
});
