/** Tests that no section, memory or answer splits a character, over vocabularies whose tokens are parts of characters. */
import { memAgent, memAgentConfig, type Sampler } from "@palimpsest/agents";
import { trainBpe } from "@palimpsest/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Chunk, chunkDocument } from "../packages/learning/agents/src/chunks.js";

const corpus = ["陈芳喜欢茶", "مرحبا بالعالم", "naïve 🚀 cafés", "the cat sat on the mat"];
const specialTokens = ["<|end|>"];
/** The first has a token per byte, and the others more and more tokens of several bytes that end within characters. */
const tokenizers = [257, 275, 300, 340].map((vocabSize) =>
  trainBpe(corpus, { vocabSize, specialTokens, alphabet: "bytes" }),
);

const character = fc.oneof(
  fc.constantFrom(...corpus.join("")),
  fc.constantFrom("\ufffd", "\ufffd", "🚀", "𝒳", "é", "a"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
);
const anyText = fc.array(character, { maxLength: 60 }).map((characters) => characters.join(""));
const anyTokenizer = fc.constantFrom(...tokenizers);
const longPart = 12;

test("sections joined are the text, whole, streamed and limited, for every size of at least 4 (CHARACTERS-1)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyText, { maxLength: 6 }),
      anyTokenizer,
      fc.integer({ min: 4, max: longPart }),
      fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
      fc.constantFrom("head" as const, "middle" as const, "tail" as const),
      fc.boolean(),
      async (pieces, tokenizer, chunkTokens, maxChunks, overflow, streamed) => {
        const document = streamed ? pieces : pieces.join("");
        const ids = (streamed ? pieces : [pieces.join("")]).flatMap((piece) => tokenizer.encode(piece));
        const { chunks, total, droppedTokens } = await chunkDocument(document, tokenizer, {
          chunkTokens,
          maxChunks,
          overflow,
        });
        const read: Chunk[] = [];
        for await (const chunk of chunks) read.push(chunk);
        for (const { tokenIds, start, end } of read) {
          expect(tokenIds).toEqual(ids.slice(start, end));
          expect(tokenIds.length).toBeGreaterThan(0);
          expect(tokenIds.length).toBeLessThanOrEqual(chunkTokens);
        }
        if (total !== undefined) expect(total).toBe(read.length);
        expect(read.length).toBeLessThanOrEqual(maxChunks ?? Number.POSITIVE_INFINITY);
        expect(droppedTokens).toBe(ids.length - read.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0));
        const sections = read.map(({ tokenIds }) => tokenizer.decode(tokenIds));
        if (droppedTokens === 0) expect(sections.join("")).toBe(tokenizer.decode(ids));
        // What is dropped is between two runs of sections that join: each is a part of the text.
        const gap = read.findIndex(({ start }, i) => start !== (read[i - 1]?.end ?? 0));
        const [head, tail] = gap < 0 ? [sections, []] : [sections.slice(0, gap), sections.slice(gap)];
        expect(tokenizer.decode(ids).startsWith(head.join(""))).toBe(true);
        expect(tokenizer.decode(ids).endsWith(tail.join(""))).toBe(true);
      },
    ),
    { numRuns: 500, seed: 1 },
  );
});

test("a character of more tokens than the size is split, and the document is read to its end", async () => {
  const [tokenizer] = tokenizers;
  const ids = tokenizer?.encode("a🚀b") ?? [];
  for (const chunkTokens of [1, 2, 3]) {
    const rules = { chunkTokens, overflow: "error" } as const;
    const { chunks } = await chunkDocument("a🚀b", tokenizer as NonNullable<typeof tokenizer>, rules);
    const read: Chunk[] = [];
    for await (const chunk of chunks) read.push(chunk);
    expect(read.flatMap(({ tokenIds }) => tokenIds)).toEqual(ids);
    expect(Math.max(...read.map(({ tokenIds }) => tokenIds.length))).toBeLessThanOrEqual(chunkTokens);
  }
});

test("a memory and an answer that are cut at their limits end with a whole character", async () => {
  const tokenizer = tokenizers[0] as (typeof tokenizers)[number];
  const said = tokenizer.encode("陈芳陈芳陈芳");
  const sampler: Sampler = {
    generate: async ({ maxTokens }) => ({
      tokenIds: said.slice(0, maxTokens),
      rolloutLogprobs: said.slice(0, maxTokens).map(() => -1),
      stopReason: "length",
      policyVersion: 0,
      weightsHash: "script",
    }),
  };
  const shared = { prompt: "text", stopTokens: specialTokens, specialTokens, thinkingEnd: null } as const;
  for (const limit of [4, 5, 6, 7]) {
    const config = memAgentConfig("tiny", { ...shared, memoryTokens: limit, finalTokens: limit });
    const { memory, answer } = await memAgent({ sampler, tokenizer, config }).run({
      document: "陈芳喜欢茶",
      question: "谁?",
    });
    expect(memory).toBe("陈芳".slice(0, Math.floor(limit / 3)));
    expect(answer).toBe(memory);
  }
});
