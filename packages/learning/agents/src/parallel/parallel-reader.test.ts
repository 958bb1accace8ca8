import { createRandom } from "@palimpsest/std/random";
import { expect, it } from "vitest";
import type { GenerateRequest, GenerateResult, Sampler } from "../sampler.js";
import { oracleReply, scriptedSampler, wordTokenizer } from "../testing.js";
import type { ParallelConfigInput } from "./config.js";
import { parallelReader } from "./parallel-reader.js";
import { parallelConfig } from "./presets.js";

const document = " ben likes milk. anna likes tea. cora likes rice. dan likes figs. eva likes jazz.";
const question = "what does anna like?";

/** Answers as a policy that notes the fact of its section, and nothing where the memory has it. */
const notesFact = (prompt: string): string => {
  if (prompt.endsWith("answer:")) return oracleReply(prompt);
  const memory = /\nmemory:(.*)\n/.exec(prompt)?.[1] ?? "";
  const noted = oracleReply(prompt);
  return noted === memory || memory.includes(noted.trim()) ? " none" : noted;
};

function reading(reply: (prompt: string) => string, settings: Partial<ParallelConfigInput> = {}) {
  const tokenizer = wordTokenizer();
  const prompts: string[] = [];
  const requests: GenerateRequest[] = [];
  const sampler = scriptedSampler({
    tokenizer,
    reply,
    onRequest: (request) => {
      requests.push(request);
      prompts.push(tokenizer.decode(request.promptTokenIds));
    },
  });
  const config = parallelConfig("tiny", settings);
  return {
    tokenizer,
    sampler,
    prompts,
    requests,
    config,
    agent: parallelReader({ sampler, tokenizer, config }),
  };
}

it("reads every section beside the same memory, and ends after a pass without news (PARALLEL-1, PARALLEL-4)", async () => {
  const { agent, prompts } = reading(notesFact, { passes: 3 });
  const result = await agent.run({ document, question });
  expect(result.answer).toBe(" \\boxed{tea}");
  expect(result.memory).toBe(" anna likes tea.");
  const memories = prompts.map((prompt) => /\nmemory:(.*)\n/.exec(prompt)?.[1]);
  expect(memories).toEqual([" none", " none", " anna likes tea.", " anna likes tea.", " anna likes tea."]);
  expect(result.counters).toEqual({ passes: 2, notes: 1, unused_passes: 1 / 3 });
  expect(result.conversations.map(({ kind, step }) => [kind, step])).toEqual([
    ["memory", 0],
    ["memory", 1],
    ["memory", 2],
    ["memory", 3],
    ["final", 4],
  ]);
  expect(result.steps.map(({ memory }) => memory)).toEqual(["anna likes tea.", "", "", ""]);
  expect(result.documentTokens).toBe(20);
});

it("answers from the first memory if no section has anything", async () => {
  const { agent } = reading(
    (prompt) => (prompt.endsWith("answer:") ? " nothing" : " **None.** It is about rain."),
    {
      passes: 2,
    },
  );
  const result = await agent.run({ document, question });
  expect(result).toMatchObject({ answer: " nothing", memory: " none", counters: { passes: 1, notes: 0 } });
});

/** A sampler that answers requests in an order of its own: all that wait, drawn at random, in each turn. */
function unordered(inner: Sampler, seed: string): Sampler {
  const random = createRandom(seed);
  const waiting: (() => void)[] = [];
  return {
    async generate(request, signal): Promise<GenerateResult> {
      const sampled = await inner.generate(request, signal);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        setImmediate(() => waiting.splice(random.below(waiting.length), 1)[0]?.());
      });
      return sampled;
    },
  };
}

it("keeps notes in the order of their sections, whichever was sampled first (PARALLEL-2)", async () => {
  const words = Array.from({ length: 24 }, (_, at) => `w${at}`);
  const text = words.map((word) => ` ${word} b c.`).join("");
  const settings = { chunkTokens: 4, noteTokens: 2, memoryTokens: 60, passes: 1, concurrency: 7 };
  const note = (prompt: string) => / w\d+/.exec(prompt.split("section:")[1] ?? "")?.[0] ?? "";
  const results = [];
  for (const seed of ["a", "b"]) {
    const { sampler, tokenizer, config, requests } = reading(note, settings);
    const agent = parallelReader({ sampler: unordered(sampler, seed), tokenizer, config });
    const { memory, conversations } = await agent.run({ document: text, question: "which?" }, { seed: 7 });
    expect(memory).toBe(words.map((word) => ` ${word}`).join("\n"));
    expect(conversations.map(({ step }) => step)).toEqual(conversations.map((_, at) => at));
    results.push(requests.map((request) => request.seed));
  }
  expect(results[0]).toEqual(results[1]);
  expect(new Set(results[0]).size).toBe(results[0]?.length);
});

it.each([1, 2, 3, 5, 16, 33])(
  "merges %i notes in groups within their bounds, in order (PARALLEL-3)",
  async (count) => {
    const text = Array.from({ length: count }, (_, at) => ` w${at} b c.`).join("");
    const settings = { chunkTokens: 4, noteTokens: 6, memoryTokens: 6, mergeTokens: 20, passes: 1 };
    const { agent, prompts, tokenizer } = reading((prompt) => {
      if (prompt.endsWith("answer:")) return " done";
      const [, notes = ""] = prompt.split("section:");
      const found = notes.match(/ w\d+/g) ?? [];
      // A note repeats its word; a merge keeps its first and its last.
      return prompt.includes("memory:none") || !prompt.includes("\nmemory:")
        ? `${found[0]}${found.length > 1 ? found.at(-1) : ""}`
        : `${found[0]} x x x`;
    }, settings);
    const result = await agent.run({ document: text, question: "which?" });
    const size = tokenizer.encode(result.memory).length;
    expect(size).toBeLessThanOrEqual(6);
    expect(result.memory).toContain(" w0");
    if (count > 1) expect(result.memory).toContain(` w${count - 1}`);
    const merges = prompts.filter((prompt) => !prompt.includes("\nmemory:") && !prompt.endsWith("answer:"));
    for (const merge of merges) {
      const notes = /section:(.*)\nnew memory:/s.exec(merge)?.[1] ?? "";
      const tokens = tokenizer.encode(notes).length;
      expect(tokens <= 20 || notes.split("\n").length <= 2).toBe(true);
      const order = (notes.match(/w(\d+)/g) ?? []).map((word) => Number(word.slice(1)));
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
    expect(result.counts.conversations).toBe(prompts.length);
  },
);

it("keeps what fits of notes whose merge wrote nothing, and counts it", async () => {
  const text = Array.from({ length: 4 }, (_, at) => ` w${at} b c.`).join("");
  const { agent } = reading(
    (prompt) => {
      if (prompt.endsWith("answer:")) return " done";
      return prompt.includes("\nmemory:") ? ` ${/ w\d+/.exec(prompt)?.[0].trim()} x x` : "";
    },
    { chunkTokens: 4, noteTokens: 4, memoryTokens: 5, mergeTokens: 30, passes: 1 },
  );
  const result = await agent.run({ document: text, question: "which?" });
  expect(result.memory).toContain("w0 x x");
  expect(result.counts.emptyUpdates).toBe(1);
});

it.each([
  ["none", true],
  [" None.", true],
  ["**none**", true],
  ['"None" ', true],
  ["none\nThe section is about rain.", true],
  ["none of them but anna", false],
  ["nonesuch", false],
  ["none? No: anna likes tea", false],
])("reads %j as no note: %s", async (reply, isNone) => {
  const { agent } = reading((prompt) => (prompt.endsWith("answer:") ? " x" : reply), {
    passes: 1,
    noteTokens: 64,
    memoryTokens: 512,
    concurrency: 1,
  });
  const { counters, documentTokens } = await agent.run(
    { document: " ben likes milk.", question },
    { onProgress: ({ documentTokensRead }) => expect(documentTokensRead).toBeLessThanOrEqual(4) },
  );
  expect(documentTokens).toBe(4);
  expect(counters?.["notes"]).toBe(isNone ? 0 : 1);
});

it("makes no further call after an abort, and throws its reason (PARALLEL-5)", async () => {
  const stop = new AbortController();
  const { agent, requests } = reading(
    (prompt) => {
      stop.abort(new Error("enough"));
      return notesFact(prompt);
    },
    { concurrency: 1 },
  );
  await expect(agent.run({ document, question }, { signal: stop.signal })).rejects.toThrow("enough");
  expect(requests).toHaveLength(1);
});

it("refuses a state to resume from, which it does not have", async () => {
  const { agent } = reading(notesFact);
  const state = {
    agent: "memagent",
    documentPosition: 0,
    documentTokensRead: 0,
    memoryTokenIds: [],
    counts: { conversations: 0, promptTokens: 0, sampledTokens: 0, truncated: 0, emptyUpdates: 0 },
    policyVersionMin: 0,
    policyVersionMax: 0,
  };
  await expect(agent.run({ document, question }, { resumeFrom: state })).rejects.toThrow(
    /resumeFrom: .*start/,
  );
});
