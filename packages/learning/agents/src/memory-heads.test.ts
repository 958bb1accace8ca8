import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EpisodeState } from "./episode.js";
import { memAgent } from "./memagent/memagent.js";
import { memAgentConfig } from "./memagent/presets.js";
import { headLayout, MemoryHeads, memoryHeadsSchema } from "./memory-heads.js";
import { rememr1Config } from "./rememr1/presets.js";
import { rememr1 } from "./rememr1/rememr1.js";
import type { GenerateRequest, Tokenizer } from "./sampler.js";
import { scriptedSampler, wordTokenizer } from "./testing.js";

const tags = ["<update>", "</update>", "<recall>", "</recall>"];
const question = "what does anna like?";
const document = Array.from({ length: 24 }, (_, at) => ` w${at}`).join("");
const plainLabel = { label: " |{head}|", turn: " write{head}" };

/** The number of the head that the prompt asks for, and the heads as it shows them. */
const shownHeads = (prompt: string) => /memory:(.*)\n/.exec(prompt)?.[1] ?? "";

function recorded(reply: (prompt: string, request: GenerateRequest) => string) {
  const tokenizer = wordTokenizer(["<|end|>", ...tags]);
  const requests: GenerateRequest[] = [];
  const sampler = scriptedSampler({ tokenizer, reply, onRequest: (request) => requests.push(request) });
  const prompts = () => requests.map(({ promptTokenIds }) => tokenizer.decode(promptTokenIds));
  return { tokenizer, sampler, requests, prompts };
}

/** Notes each section's first word. */
const firstWord = (prompt: string) => / w\d+/.exec(/section:(.*)\n/.exec(prompt)?.[1] ?? "")?.[0] ?? " end";

/** A tokenizer of UTF-8 bytes. */
const byteTokenizer: Tokenizer = {
  encode: (text) => [...new TextEncoder().encode(text)],
  decode: (ids) => new TextDecoder().decode(Uint8Array.from(ids)),
  specialTokenId: () => undefined,
};

describe("memory heads of memAgent", () => {
  it("rewrite the least recently written head, and every prompt shows all (MEMORYHEADS-2, MEMORYHEADS-4)", async () => {
    const { tokenizer, sampler, prompts } = recorded(firstWord);
    const memory = { heads: 3, ...plainLabel };
    const config = memAgentConfig("tiny", { chunkTokens: 4, memoryTokens: 9, memory });
    const result = await memAgent({ sampler, tokenizer, config }).run({ document, question });
    expect(prompts().map(shownHeads)).toEqual([
      " |1| none |2| none |3| none write1",
      " |1| w0 |2| none |3| none write2",
      " |1| w0 |2| w4 |3| none write3",
      " |1| w0 |2| w4 |3| w8 write1",
      " |1| w12 |2| w4 |3| w8 write2",
      " |1| w12 |2| w16 |3| w8 write3",
      " |1| w12 |2| w16 |3| w20",
    ]);
    expect(result.steps.map(({ head }) => head)).toEqual([1, 2, 3, 1, 2, 3]);
    expect(result.memory).toBe("|1| w12 |2| w16 |3| w20");
    expect(result.counters).toBeUndefined();
  });

  it("rewrite the head that the reply names; a bad name and none take the oldest, and are counted (MEMORYHEADS-2)", async () => {
    const names = ["[2]", "[9]", "", "[3]", "[0]", "[2]"];
    const { tokenizer, sampler, prompts } = recorded((prompt) =>
      prompt.endsWith("answer:")
        ? " x"
        : `${names[Number(firstWord(prompt).slice(2)) / 4]}${firstWord(prompt)}`,
    );
    const memory = { heads: 3, select: "chosen" as const, ...plainLabel };
    const config = memAgentConfig("tiny", { chunkTokens: 4, memoryTokens: 9, memory });
    const result = await memAgent({ sampler, tokenizer, config }).run({ document, question });
    expect(result.steps.map(({ head }) => head)).toEqual([2, 1, 3, 3, 2, 2]);
    // The name is no part of the memory, even if it names no head.
    expect(shownHeads(prompts().at(-1) ?? "")).toBe(" |1| w4 |2| w20 |3| w12");
    expect(result.counters).toEqual({ misnamed_heads: 3 });
  });

  it("rewrite what has least of the question out of its section, though a reply repeats all of it (MEMORYHEADS-2)", async () => {
    const notes = ["anna likes tea", "what does anna like", "like", "anna", "w", "w"];
    const sections = [
      " anna likes tea w",
      " w w w w",
      " w like like w",
      " w anna w w",
      " w w w w",
      " w w w w",
    ];
    const { tokenizer, sampler, prompts } = recorded((prompt) =>
      prompt.endsWith("answer:") ? " x" : ` ${notes[prompts().length - 1]}`,
    );
    const memory = { heads: 3, select: "relevant" as const, ...plainLabel };
    const config = memAgentConfig("tiny", { chunkTokens: 4, memoryTokens: 15, memory });
    const states: EpisodeState[] = [];
    const agent = memAgent({ sampler, tokenizer, config });
    const result = await agent.run(
      { document: sections.join(""), question },
      { onProgress: ({ state }) => state && states.push(state) },
    );
    // The empty heads first; then the echo, and after that each time the last note that says nothing.
    expect(result.steps.map(({ head }) => head)).toEqual([1, 2, 3, 2, 3, 3]);
    expect(result.memory).toBe("|1| anna likes tea |2| anna |3| w");
    expect(states.at(-1)?.heads?.map(({ relevance }) => relevance)).toEqual([1, 1, 0]);
  });

  it("are shown to the answer alone if the prompts of updates are to leave them out (MEMORYHEADS-4)", async () => {
    const { tokenizer, sampler, prompts } = recorded(firstWord);
    const memory = { heads: 3, shown: false, ...plainLabel };
    const config = memAgentConfig("tiny", { chunkTokens: 8, memoryTokens: 9, memory });
    await memAgent({ sampler, tokenizer, config }).run({ document, question });
    expect(prompts().map(shownHeads)).toEqual([" write1", " write2", " write3", " |1| w0 |2| w8 |3| w16"]);
  });

  it("sample no more than a head holds, beside its name, and the rows are what was sampled (MEMORYHEADS-3)", async () => {
    for (const select of ["lru", "chosen"] as const) {
      const { tokenizer, sampler, requests } = recorded(() => "[1] a b c d e f g h i j k l m n");
      const memory = memoryHeadsSchema.parse({ heads: 4, select, ...plainLabel });
      const config = memAgentConfig("tiny", { chunkTokens: 4, memoryTokens: 19, memory });
      const result = await memAgent({ sampler, tokenizer, config }).run({ document, question });
      const name = select === "lru" ? 0 : tokenizer.encode("[1] ").length;
      expect(requests.slice(0, -1).map(({ maxTokens }) => maxTokens)).toEqual(Array(6).fill(4 + name));
      // The trainer makes its rows of the conversations.
      result.conversations.forEach(({ promptTokenIds, sampledTokenIds }, at) => {
        expect(promptTokenIds).toEqual(requests[at]?.promptTokenIds);
        const whole = tokenizer.encode("[1] a b c d e f g h i j k l m n");
        expect(sampledTokenIds).toEqual(whole.slice(0, requests[at]?.maxTokens));
      });
    }
  });

  it("resume from each of their states to the same end, and from no state of other heads (MEMAGENT-7)", async () => {
    const { tokenizer, sampler } = recorded((prompt) =>
      prompt.endsWith("answer:") ? shownHeads(prompt) : firstWord(prompt),
    );
    const memory = { heads: 3, ...plainLabel };
    const settings = { chunkTokens: 4, memoryTokens: 9, finalTokens: 30 };
    const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny", { ...settings, memory }) });
    const states: EpisodeState[] = [];
    const onProgress = ({ state }: { state?: EpisodeState }) => {
      if (state) states.push(JSON.parse(JSON.stringify(state)));
    };
    const whole = await agent.run({ document, question }, { onProgress });
    expect(states).toHaveLength(6);
    for (const resumeFrom of states) {
      const rest = await agent.run({ document, question }, { resumeFrom });
      expect([rest.answer, rest.memory, rest.counts]).toEqual([whole.answer, whole.memory, whole.counts]);
    }
    const one = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny", settings) });
    await expect(
      one.run({ document, question }, { resumeFrom: states[0] as EpisodeState }),
    ).rejects.toMatchObject({
      code: "BAD_STATE",
      message: expect.stringContaining("resumeFrom.heads: has 3, but memory.heads is 1"),
    });
  });

  it("refuse more heads than the memory has tokens", () => {
    for (const config of [memAgentConfig, rememr1Config]) {
      expect(() => config("tiny", { memoryTokens: 4, memory: { heads: 5 } })).toThrow(
        "memory.heads: is 5, but memoryTokens is 4",
      );
    }
  });

  it("of one head are the prompts of the memory alone, whatever else is set (MEMORYHEADS-1)", async () => {
    const words = fc
      .array(fc.stringMatching(/^[a-z]{1,4}$/), { maxLength: 12 })
      .map((list) => list.map((w) => ` ${w}`).join(""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(words, { minLength: 1, maxLength: 5 }),
        words,
        fc.constantFrom("lru" as const, "chosen" as const),
        fc.integer({ min: 1, max: 9 }),
        async (replies, text, select, chunkTokens) => {
          for (const memory of [undefined, memoryHeadsSchema.parse({ heads: 1, select, ...plainLabel })]) {
            let at = 0;
            const { tokenizer, sampler, prompts } = recorded(() => replies[at++ % replies.length] as string);
            const overrides = { chunkTokens, ...(memory && { memory }) };
            const result = await memAgent({
              sampler,
              tokenizer,
              config: memAgentConfig("tiny", overrides),
            }).run({
              document: text,
              question,
            });
            const read = tokenizer.encode(text);
            let before = " none";
            const expected: string[] = [];
            for (let start = 0; start < read.length; start += chunkTokens) {
              const section = tokenizer.decode(read.slice(start, start + chunkTokens));
              expected.push(`question: ${question}\nmemory:${before}\nsection:${section}\nnew memory:`);
              const reply = replies[(expected.length - 1) % replies.length] as string;
              before = tokenizer.decode(tokenizer.encode(reply).slice(0, 8));
            }
            expected.push(`question: ${question}\nmemory:${before}\nanswer:`);
            expect(prompts()).toEqual(expected);
            expect(result.memory).toBe(before);
            expect(result.counters).toBeUndefined();
            expect(result.steps.every((step) => !("head" in step))).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("memory heads", () => {
  it("are cut between characters at their share of the memory (MEMORYHEADS-3)", () => {
    const memory = memoryHeadsSchema.parse({ heads: 2 });
    const heads = new MemoryHeads(
      byteTokenizer,
      headLayout(byteTokenizer, { memoryTokens: 9, memory }),
      [],
      undefined,
    );
    // A euro sign has three bytes, and four bytes fit.
    const { tokenIds } = heads.accept(byteTokenizer.encode("€€€"), { question, section: [] });
    expect(byteTokenizer.decode(tokenIds)).toBe("€");
  });
});

describe("memory heads of rememr1", () => {
  it("are searched by a recall in whatever head a memory was (REMEMR-3)", async () => {
    // Each head is overwritten once; then the first memory of the second head is asked for.
    const { tokenizer, sampler, prompts } = recorded((prompt) => {
      if (prompt.endsWith("answer:")) return " x";
      const word = firstWord(prompt);
      return `<update>${word}</update>${word === " w16" ? "<recall> w4</recall>" : ""}`;
    });
    const memory = memoryHeadsSchema.parse({ heads: 2, ...plainLabel });
    const config = rememr1Config("tiny", { chunkTokens: 4, memory });
    const result = await rememr1({ sampler, tokenizer, config }).run({ document, question });
    expect(result.steps.map(({ head }) => head)).toEqual([1, 2, 1, 2, 1, 2]);
    expect(prompts()[5]).toContain("recalled: w4\n");
    expect(shownHeads(prompts().at(-1) ?? "")).toBe(" |1| w16 |2| w20");
    expect(result.counters).toMatchObject({ recall_queries: 1, recalled_memories: 1 });
  });

  it("never recall what another head still holds (REMEMR-3)", async () => {
    const { tokenizer, sampler, prompts } = recorded((prompt) =>
      prompt.endsWith("answer:") ? " x" : `<update>${firstWord(prompt)}</update><recall> w0</recall>`,
    );
    const memory = memoryHeadsSchema.parse({ heads: 6, ...plainLabel });
    const config = rememr1Config("tiny", { chunkTokens: 4, memoryTokens: 12, memory });
    const result = await rememr1({ sampler, tokenizer, config }).run({ document, question });
    expect(prompts().every((prompt) => prompt.includes("recalled: none\n"))).toBe(true);
    expect(result.counters).toMatchObject({ recall_queries: 6, recalled_memories: 0 });
  });
});
