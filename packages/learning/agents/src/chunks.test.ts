import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Chunk, chunkDocument } from "./chunks.js";
import { wordTokenizer } from "./testing.js";

async function collect(chunks: Iterable<Chunk> | AsyncIterable<Chunk>): Promise<Chunk[]> {
  const list: Chunk[] = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
}

const sentence = (i: number) => ` a${i % 7} b${i % 5}.`;

describe("chunkDocument", () => {
  it("reads every token once and in order, or counts it as dropped, whole or streamed (MEMAGENT-3, REMEMR-4)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 9 }),
        fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
        fc.constantFrom("head", "middle", "tail"),
        fc.boolean(),
        async (sentences, chunkTokens, maxChunks, overflow, streamed) => {
          const tokenizer = wordTokenizer();
          const pieces = Array.from({ length: sentences }, (_, i) => sentence(i));
          const ids = tokenizer.encode(pieces.join(""));
          const document = streamed ? pieces : pieces.join("");
          const { chunks, total, droppedTokens } = await chunkDocument(document, tokenizer, {
            chunkTokens,
            maxChunks,
            overflow: overflow as "head" | "middle" | "tail",
          });
          const read = await collect(chunks);
          for (const chunk of read) expect(chunk.tokenIds).toEqual(ids.slice(chunk.start, chunk.end));
          for (const chunk of read) expect(chunk.tokenIds.length).toBeLessThanOrEqual(chunkTokens);
          const ranges = read.map((chunk) => chunk.start);
          expect(ranges).toEqual([...ranges].sort((a, b) => a - b));
          const kept = read.reduce((sum, chunk) => sum + chunk.tokenIds.length, 0);
          expect(new Set(read.flatMap((c) => c.tokenIds.map((_, i) => c.start + i))).size).toBe(kept);
          expect(kept + droppedTokens).toBe(ids.length);
          expect(kept).toBe(Math.min(ids.length, (maxChunks ?? Number.POSITIVE_INFINITY) * chunkTokens));
          if (total !== undefined) expect(read).toHaveLength(total);
          expect(total === undefined).toBe(streamed && maxChunks === undefined);
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });

  it("stops reading a stream at an abort", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    let pieces = 0;
    async function* endless() {
      for (;;) {
        pieces += 1;
        if (pieces === 50) controller.abort(reason);
        yield sentence(pieces);
      }
    }
    const rules = { chunkTokens: 4, overflow: "tail", maxChunks: 2 } as const;
    await expect(chunkDocument(endless(), wordTokenizer(), rules, controller.signal)).rejects.toBe(reason);
    expect(pieces).toBe(50);
  });
});
