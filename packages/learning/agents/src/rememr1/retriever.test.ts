import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { wordTokenizer } from "../testing.js";
import { retrieveMemory, tokenTerms, whitespaceTerms } from "./retriever.js";

interface GoldenCase {
  readonly id: string;
  readonly history: readonly string[];
  readonly query: string;
  readonly expected_index: number | null;
  readonly similarities: readonly number[] | null;
  readonly contested?: boolean;
  readonly tied_indices?: readonly number[];
  readonly history_tokens?: readonly (readonly string[])[];
  readonly query_tokens?: readonly string[];
}

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const file = `${shared}/fixtures/scoring/rememr1_retrieval.json`;
const present = existsSync(file);
if (!present) process.stdout.write(`skipped: no golden retrievals in ${file}\n`);
const read = (list: "whitespace" | "qwen25"): readonly GoldenCase[] =>
  JSON.parse(readFileSync(file, "utf8"))[list];

/** The tokens that the case itself lists. */
function listedTerms({ history, query, history_tokens, query_tokens }: GoldenCase) {
  const listed = new Map(history.map((text, i) => [text, history_tokens?.[i] ?? []]));
  listed.set(query, query_tokens ?? listed.get(query) ?? []);
  return (text: string) => listed.get(text) ?? [];
}

describe.skipIf(!present)("golden retrievals of the reference", () => {
  it.each(["whitespace", "qwen25"] as const)("agree on every similarity and on every choice (%s)", (list) => {
    const cases = read(list);
    expect(cases.length).toBeGreaterThan(30);
    for (const golden of cases) {
      const tokens = list === "whitespace" ? whitespaceTerms : listedTerms(golden);
      const { index, similarities } = retrieveMemory(golden.history, golden.query, { tokens, floor: null });
      expect(similarities === null, golden.id).toBe(golden.similarities === null);
      similarities?.forEach((similarity, i) => {
        expect(similarity, golden.id).toBeCloseTo(golden.similarities?.[i] as number, 6);
      });
      // Where several are equal the reference takes any; we take the latest.
      const expected = golden.tied_indices ? Math.max(...golden.tied_indices) : golden.expected_index;
      expect(index, golden.id).toBe(expected);
    }
  });

  it("recalls nothing without a word in common, where the reference recalls anything", () => {
    const strangers = read("whitespace").filter(({ similarities }) => similarities?.every((s) => s === 0));
    expect(strangers.length).toBeGreaterThan(3);
    for (const { history, query } of strangers)
      expect(retrieveMemory(history, query, { tokens: whitespaceTerms }).index).toBeNull();
  });
});

describe("retrieveMemory", () => {
  it("takes the latest of equals and nothing at or below the floor", () => {
    const history = ["x 1", "x 2", "y"];
    const { index, similarities } = retrieveMemory(history, "x", { tokens: whitespaceTerms });
    expect(index).toBe(1);
    const floor = similarities?.[0] as number;
    expect(retrieveMemory(history, "x", { tokens: whitespaceTerms, floor }).index).toBeNull();
    expect(retrieveMemory(history, "x", { tokens: whitespaceTerms, floor: floor - 1e-6 }).index).toBe(1);
  });
});

describe("tokenTerms", () => {
  it("compares by the tokenizer's tokens, whatever case and space before them", () => {
    const terms = tokenTerms(wordTokenizer());
    expect(terms("Tea from Peru.")).toEqual(["tea", "from", "peru", "."]);
    expect(terms(" tea")).toEqual(["tea"]);
    expect(terms("a  b")).toEqual(["a", "", "b"]);
  });
});
