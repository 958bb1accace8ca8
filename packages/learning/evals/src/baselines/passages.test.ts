import { describe, expect, it } from "vitest";
import { splitPassages } from "./passages.js";

const countTokens = (text: string) => text.split(/\s+/).filter((word) => word !== "").length;

describe("splitPassages", () => {
  it("takes numbered documents as they are, with their titles as sources", () => {
    const passages = splitPassages(
      "Document 1:\nParis\nA city.\n\nDocument 2:\nOslo\nAnother city.\n\nWith parks.",
      {
        maxTokens: 100,
        countTokens,
      },
    );
    expect(passages).toEqual([
      { place: 0, text: "Document 1:\nParis\nA city.", sources: ["Paris"] },
      { place: 1, text: "Document 2:\nOslo\nAnother city.\n\nWith parks.", sources: ["Oslo"] },
    ]);
  });

  it("keeps short paragraphs together and cuts long ones between sentences", () => {
    const long = Array.from({ length: 6 }, (_, i) => `This is sentence number ${i}.`).join(" ");
    const passages = splitPassages(`One.\n\nTwo.\n\n${long}`, { maxTokens: 12, countTokens });
    for (const { text } of passages) expect(countTokens(text)).toBeLessThanOrEqual(12);
    expect(passages[0]?.text.startsWith("One.\nTwo.")).toBe(true);
    const joined = passages.map(({ text }) => text).join(" ");
    for (let i = 0; i < 6; i++) expect(joined).toContain(`sentence number ${i}.`);
  });

  it("cuts a long numbered document into passages of the same source", () => {
    const long = Array.from({ length: 4 }, (_, i) => `Sentence ${i} has five words.`).join(" ");
    const passages = splitPassages(`Document 1:\nTitle\n${long}`, { maxTokens: 10, countTokens });
    expect(passages.length).toBeGreaterThan(1);
    expect(new Set(passages.flatMap(({ sources }) => sources))).toEqual(new Set(["Title"]));
  });
});
