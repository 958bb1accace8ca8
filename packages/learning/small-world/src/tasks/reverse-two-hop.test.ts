import { describe, expect, it } from "vitest";
import { reverseTwoHopTasks } from "./reverse-two-hop.js";

const settings = { segments: { min: 6, max: 10 }, count: 200, seed: "s" } as const;
const sentencesOf = (document: string): readonly string[] => document.match(/[^.]+\./g) ?? [];

describe("reverseTwoHopTasks", () => {
  it("puts the origin before the name's fact, a segment between them, and the name after most of the document", () => {
    const gaps = new Set<number>();
    for (const { document, metadata, question, answers } of reverseTwoHopTasks(settings)) {
      const { evidence, secondEvidence, segments } = metadata as Record<string, string>;
      const sentences = sentencesOf(document);
      const nameAt = Math.floor(sentences.indexOf(evidence as string) / 2);
      const originAt = Math.floor(sentences.indexOf(secondEvidence as string) / 2);
      expect(nameAt - originAt).toBeGreaterThanOrEqual(2);
      expect(nameAt).toBeGreaterThanOrEqual(Math.ceil(0.6 * Number(segments)));
      expect(metadata).toMatchObject({ evidenceSegment: nameAt, secondEvidenceSegment: originAt });
      gaps.add(nameAt - originAt);
      const [, name, value] = /^ (\w+) likes (\w+)\.$/.exec(evidence as string) ?? [];
      expect(secondEvidence).toBe(` ${value} from ${answers[0]}.`);
      expect(question).toContain(` ${name} `);
    }
    expect(gaps.size).toBeGreaterThan(4);
  });

  it("says of every thing at most once where it is from, once per segment, and nothing else of what is asked", () => {
    for (const { document, metadata, answers } of reverseTwoHopTasks(settings)) {
      const sentences = sentencesOf(document);
      const origins = sentences.filter((text) => text.includes(" from "));
      expect(origins).toHaveLength(Number(metadata["segments"]));
      expect(new Set(origins.map((text) => text.split(" ")[1])).size).toBe(origins.length);
      sentences.forEach((text, i) => {
        if (i % 2 === 0)
          expect([text, sentences[i + 1]].filter((each) => each?.includes(" from "))).toHaveLength(1);
      });
      const [name, value] = / (\w+) likes (\w+)\./.exec(String(metadata["evidence"]))?.slice(1) ?? [];
      const holding = (word: string | undefined) =>
        sentences.filter((text) => new RegExp(` ${word}\\b`).test(text)).length;
      expect([holding(name), holding(value), holding(answers[0])]).toEqual([1, 2, 1]);
    }
  });

  it("draws the origin evenly over the segments that it may stand in", () => {
    const tasks = reverseTwoHopTasks({ segments: 5, nameAfter: 0.8, count: 1200, seed: 3 });
    const counts = [0, 1, 2].map(
      (at) => tasks.filter(({ metadata }) => metadata["secondEvidenceSegment"] === at).length,
    );
    for (const count of counts) expect(Math.abs(count - 400)).toBeLessThan(80);
  });

  it("gives the same tasks for the same seed, a longer list beginning with the shorter one", () => {
    const ten = reverseTwoHopTasks({ ...settings, count: 10 });
    expect(reverseTwoHopTasks({ ...settings, count: 20 }).slice(0, 10)).toEqual(ten);
    expect(reverseTwoHopTasks({ ...settings, count: 10, seed: "t" })[0]?.document).not.toBe(ten[0]?.document);
  });

  it("refuses settings that leave no place, naming the field", () => {
    expect(() => reverseTwoHopTasks({ segments: 3, gap: 3 })).toThrow(
      "segments: 3 leave no segment for the fact",
    );
    expect(() => reverseTwoHopTasks({ segments: 9, values: 4 })).toThrow("values");
  });
});
