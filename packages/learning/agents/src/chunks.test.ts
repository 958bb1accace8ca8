import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Chunk, chunkDocument, unreadChunks } from "./chunks.js";
import type { EpisodeState } from "./episode.js";
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

  it("ends chunks with sentences where one fits, from either end, whole or streamed", async () => {
    const tokenizer = wordTokenizer();
    // 6, 3, 11 and 3 tokens, of which the third does not fit into 7.
    const pieces = [" a b c d e.", " f g!", " h i j k l m n o p q.", " r s?"];
    const texts = async (document: string | string[], rules: object) => {
      const { chunks } = await chunkDocument(document, tokenizer, {
        ...{ chunkTokens: 7, chunkEnds: "sentence", overflow: "error", ...rules },
      });
      return (await collect(chunks)).map(({ tokenIds }) => tokenizer.decode(tokenIds));
    };
    for (const document of [pieces, pieces.join("")]) {
      const [first, second, third, fourth] = [" a b c d e.", " f g!", " h i j k l m n", " o p q. r s?"];
      expect(await texts(document, {})).toEqual([first, second, third, fourth]);
      expect(await texts(document, { maxChunks: 5 })).toEqual([first, second, third, fourth]);
      expect(await texts(document, { maxChunks: 2, overflow: "head" })).toEqual([first, second]);
      expect(await texts(document, { maxChunks: 2, overflow: "tail" })).toEqual([" l m n o p q.", " r s?"]);
      expect(await texts(document, { maxChunks: 2, overflow: "middle" })).toEqual([first, " r s?"]);
    }
    expect(await texts(pieces, { chunkTokens: 10 })).toEqual([
      " a b c d e. f g!",
      " h i j k l m n o p q",
      ". r s?",
    ]);
  });

  it("ends a chunk with every sentence that fits, from either end, whole or streamed", async () => {
    const tokenizer = wordTokenizer();
    const pieces = [" a b.", " f g!", " h i j k l m n o p q.", " r s? t"];
    const texts = async (document: string | string[], rules: object) => {
      const { chunks } = await chunkDocument(document, tokenizer, {
        chunkTokens: 7,
        chunkEnds: "every-sentence",
        overflow: "error",
        ...rules,
      });
      return (await collect(chunks)).map(({ tokenIds }) => tokenizer.decode(tokenIds));
    };
    const all = [" a b.", " f g!", " h i j k l m n", " o p q.", " r s?", " t"];
    for (const document of [pieces, pieces.join("")]) {
      expect(await texts(document, {})).toEqual(all);
      expect(await texts(document, { maxChunks: 6 })).toEqual(all);
      expect(await texts(document, { maxChunks: 2, overflow: "head" })).toEqual(all.slice(0, 2));
      expect(await texts(document, { maxChunks: 3, overflow: "tail" })).toEqual([
        " l m n o p q.",
        " r s?",
        " t",
      ]);
      expect(await texts(document, { maxChunks: 2, overflow: "middle" })).toEqual([" a b.", " t"]);
    }
  });

  it("refuses what is no text, by name and with the way out", async () => {
    const rules = { chunkTokens: 4, overflow: "error" } as const;
    const read = async (document: unknown, maxChunks?: number) => {
      // What is wrong is given on purpose.
      const { chunks } = await chunkDocument(document as string, wordTokenizer(), { ...rules, maxChunks });
      return await collect(chunks);
    };
    for (const document of [undefined, null, 7, {}, Buffer.from("x"), new Uint16Array(2)])
      await expect(read(document)).rejects.toThrow(
        /BAD_CONFIG\] document: must be a text, or pieces of one; it is .*; decode bytes first/,
      );
    for (const piece of [Buffer.from("x"), undefined, 7])
      for (const maxChunks of [undefined, 2])
        await expect(read([" a1", piece], maxChunks)).rejects.toThrow(
          /BAD_CONFIG\] a piece of document: must be a text; it is /,
        );
  });

  it("refuses to resume beyond the end of a document, and resumes at it", async () => {
    const { chunks } = await chunkDocument(" a1 b1", wordTokenizer(), { chunkTokens: 1, overflow: "error" });
    const all = await collect(chunks);
    const end = all.at(-1)?.end ?? 0;
    const from = (documentPosition: number) =>
      unreadChunks(all, "a", { agent: "a", documentPosition } as EpisodeState);
    expect(await collect(from(end))).toEqual([]);
    await expect(collect(from(end + 1))).rejects.toThrow(/BAD_STATE\] .*is beyond the document, which ends/);
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
