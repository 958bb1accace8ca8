import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readQuestionSource } from "@palimpsest/datasets";
import { describe, expect, it } from "vitest";
import { documentText } from "../suite/item.js";
import { longQaItems } from "./items.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const hotpot = `${shared}/data/hotpotqa/dev_200.json`;
const official = `${shared}/data/memagent/eval_50.8.json`;
const missing = [hotpot, official].filter((path) => !existsSync(path));
if (missing.length > 0) process.stdout.write(`skipped: no ${missing.join(", ")}\n`);

describe.skipIf(missing.length > 0)("longQaItems on real questions", () => {
  it("asks the same questions at every length, each with its evidence in the document", async () => {
    const source = await readQuestionSource({ inputs: [hotpot], dataSource: "hotpotqa" });
    const items = longQaItems({ source, lengths: [10, 50], seed: 1, limit: 12 });
    const [short, long] = [10, 50].map((length) => items.filter(({ group }) => group === length));
    expect(short?.map(({ questionKey }) => questionKey)).toEqual(long?.map(({ questionKey }) => questionKey));
    expect(short?.length).toBe(12);
    for (const item of items) {
      const text = await documentText(item);
      expect(text.match(/^Document \d+:$/gm)?.length).toBe(item.group);
      for (const title of item.evidence ?? []) expect(text).toContain(`:\n${title}\n`);
      // It returns the same text each time that it is opened.
      expect(await documentText(item)).toBe(text);
    }
    const places = new Set(items.map(({ metadata }) => metadata["goldDocuments"]));
    expect(places.size).toBeGreaterThan(15);
  });

  it("keeps only distant evidence in reverse order where it is asked for", async () => {
    const source = await readQuestionSource({ inputs: [hotpot], dataSource: "hotpotqa" });
    const items = longQaItems({ source, lengths: [100], seed: 1, minDistance: 40, order: "reverse" });
    expect(items.length).toBeGreaterThan(5);
    expect(items.length).toBeLessThan(80);
    for (const { metadata } of items) {
      const places = String(metadata["goldDocuments"]).split(" ").map(Number);
      expect((places[0] as number) - (places[1] as number)).toBeGreaterThanOrEqual(40);
    }
  });

  it("takes the official files as they are", async () => {
    const source = await readQuestionSource({ inputs: [official], dataSource: "hotpotqa" });
    const items = longQaItems({ source, seed: 0 });
    expect(items.map(({ group }) => group)).toEqual(Array.from({ length: 8 }, () => 50));
    const text = await documentText(items[0] as (typeof items)[number]);
    expect(text.startsWith("Document 1:")).toBe(true);
    expect(() => longQaItems({ source, seed: 0, lengths: [200] })).toThrow(/no item is left of 8/);
  });
});
