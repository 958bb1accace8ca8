import { describe, expect, it } from "vitest";
import { type EpisodeState, toTrajectory } from "../episode.js";
import { replyContent } from "../reply-content.js";
import type { GenerateRequest, Sampler, Tokenizer } from "../sampler.js";
import { oracleReply, scriptedSampler, wordTokenizer } from "../testing.js";
import type { MemAgentConfigInput } from "./config.js";
import { memAgent } from "./memagent.js";
import { memAgentConfig } from "./presets.js";

const document = " ben likes milk. anna likes tea. cora likes rice. dan likes figs. eva likes jazz.";
const question = "what does anna like?";

function recorded(reply: (prompt: string, request: GenerateRequest) => string) {
  const tokenizer = wordTokenizer();
  const requests: GenerateRequest[] = [];
  const sampler = scriptedSampler({ tokenizer, reply, onRequest: (request) => requests.push(request) });
  return { tokenizer, sampler, requests };
}

describe("memAgent", () => {
  it("reads every chunk with the memory of the one before and answers from the last memory", async () => {
    const { tokenizer, sampler } = recorded(oracleReply);
    const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });
    const result = await agent.run({ document, question });
    expect(result.answer).toBe(" \\boxed{tea}");
    expect(result.memory).toBe(" anna likes tea.");
    expect(result.steps).toEqual([
      { step: 0, documentTokenStart: 0, documentTokenEnd: 16, memory: " anna likes tea.", recalled: "" },
      { step: 1, documentTokenStart: 16, documentTokenEnd: 20, memory: " anna likes tea.", recalled: "" },
    ]);
    expect(result.conversations.map((c) => [c.kind, c.step, c.stopReason])).toEqual([
      ["memory", 0, "stop"],
      ["memory", 1, "stop"],
      ["final", 2, "stop"],
    ]);
    expect(result.documentTokens).toBe(20);
  });

  it("shows a short text whole in place of the memory, and reads a longer one or a stream in sections", async () => {
    const { tokenizer, sampler, requests } = recorded(oracleReply);
    const run = async (wholeTokens: number, text: string | readonly string[] = document) => {
      requests.length = 0;
      const config = memAgentConfig("tiny", { wholeTokens });
      return await memAgent({ sampler, tokenizer, config }).run({ document: text, question });
    };
    const whole = await run(20);
    expect(requests.map(({ promptTokenIds }) => tokenizer.decode([...promptTokenIds]))).toEqual([
      `question: ${question}\nmemory:${document}\nanswer:`,
    ]);
    expect(whole).toMatchObject({ memory: "", documentTokens: 20, droppedDocumentTokens: 0 });
    expect(whole.conversations.map(({ kind }) => kind)).toEqual(["final"]);
    expect((await run(19)).conversations).toHaveLength(3);
    expect((await run(20, [document])).conversations).toHaveLength(3);
  });

  it("splices sampled ids into the next prompt without encoding them again (MEMAGENT-1, MEMAGENT-2)", async () => {
    const tokenizer = wordTokenizer();
    // Ids of letters: decoded and encoded again they would become one word token.
    const letters = ["a", "n", "n", "a"].flatMap((letter) => tokenizer.encode(letter));
    expect(tokenizer.encode(tokenizer.decode(letters))).not.toEqual(letters);
    const requests: GenerateRequest[] = [];
    const sampler: Sampler = {
      async generate(request) {
        requests.push(request);
        const tokenIds = [...letters, 0];
        const rolloutLogprobs = tokenIds.map(() => -1);
        return { tokenIds, rolloutLogprobs, stopReason: "stop", policyVersion: 3, weightsHash: "h" };
      },
    };
    const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });
    const result = await agent.run({ document, question });
    const head = tokenizer.encode(`question: ${question}\nmemory:`);
    const documentIds = tokenizer.encode(document);
    const memoryPrompt = (memory: number[], section: number[]) => [
      ...head,
      ...memory,
      ...tokenizer.encode("\nsection:"),
      ...section,
      ...tokenizer.encode("\nnew memory:"),
    ];
    expect(requests.map((request) => request.promptTokenIds)).toEqual([
      memoryPrompt(tokenizer.encode(" none"), documentIds.slice(0, 16)),
      memoryPrompt(letters, documentIds.slice(16)),
      [...head, ...letters, ...tokenizer.encode("\nanswer:")],
    ]);
    expect(result.conversations.map((c) => c.sampledTokenIds)).toEqual([
      [...letters, 0],
      [...letters, 0],
      [...letters, 0],
    ]);
    expect(result.memory).toBe("anna");
  });

  it("gives the same episode for the same seed and other call seeds for another (MEMAGENT-4)", async () => {
    const seeds = async (seed: number) => {
      const { tokenizer, sampler, requests } = recorded(oracleReply);
      await memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") }).run(
        { document, question },
        { seed },
      );
      return requests.map((request) => request.seed);
    };
    const first = await seeds(7);
    expect(await seeds(7)).toEqual(first);
    expect(new Set([...first, ...(await seeds(8)), ...(await seeds(7 + 2 ** 40))]).size).toBe(9);
    for (const seed of first) expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
  });

  it("counts texts cut by their limit and empty updates (MEMAGENT-5)", async () => {
    const { tokenizer, sampler } = recorded((prompt) =>
      prompt.endsWith("answer:") ? " a b c d e f g h i j" : "",
    );
    const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });
    const result = await agent.run({ document, question });
    expect(result.counts).toMatchObject({ conversations: 3, truncated: 1, emptyUpdates: 2 });
    expect(result.memory).toBe("");
    expect(result.conversations.at(-1)?.stopReason).toBe("length");
    expect(result.answer).toBe(" a b c d e f g h");
  });

  it.each([
    [
      "head",
      2,
      [
        [0, 4],
        [4, 8],
      ],
    ],
    [
      "tail",
      2,
      [
        [12, 16],
        [16, 20],
      ],
    ],
    [
      "middle",
      3,
      [
        [0, 4],
        [4, 8],
        [16, 20],
      ],
    ],
  ] as const)(
    "keeps the %s of a document that overflows and counts what it drops (MEMAGENT-3)",
    async (overflow, maxChunks, ranges) => {
      const { tokenizer, sampler } = recorded(oracleReply);
      const config = memAgentConfig("tiny", { chunkTokens: 4, maxChunks, overflow });
      const agent = memAgent({ sampler, tokenizer, config });
      for (const text of [document, document.match(/[^.]+\./g) ?? []]) {
        const result = await agent.run({ document: text, question });
        expect(result.steps.map((s) => [s.documentTokenStart, s.documentTokenEnd])).toEqual(ranges);
        expect(result.droppedDocumentTokens).toBe(20 - maxChunks * 4);
        expect(result.documentTokens).toBe(20);
      }
    },
  );

  it("fails before the first call where a document overflows and no rule allows it", async () => {
    const { tokenizer, sampler, requests } = recorded(oracleReply);
    const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny", { maxChunks: 1 }) });
    await expect(agent.run({ document, question })).rejects.toMatchObject({ code: "DOCUMENT_OVERFLOW" });
    expect(requests).toHaveLength(0);
  });

  it("goes on from any state of an episode as that would have (MEMAGENT-7)", async () => {
    const { tokenizer, sampler } = recorded(oracleReply);
    const agent = memAgent({
      sampler,
      tokenizer,
      config: memAgentConfig("tiny", { chunkTokens: 8 }),
      now: () => 7,
    });
    const states: EpisodeState[] = [];
    const whole = await agent.run(
      { document, question },
      { seed: 3, onProgress: ({ state }) => state && states.push(JSON.parse(JSON.stringify(state))) },
    );
    expect(states.map(({ documentPosition }) => documentPosition)).toEqual([8, 16, 20]);
    for (const [at, resumeFrom] of states.entries()) {
      const rest = await agent.run(
        { document: document.match(/[^.]+\./g) ?? [], question },
        { seed: 3, resumeFrom },
      );
      const { steps, conversations, ...totals } = whole;
      const unread = { steps: steps.slice(at + 1), conversations: conversations.slice(at + 1) };
      expect(rest).toEqual({ ...totals, ...unread });
    }
  });

  it("makes no further call after an abort and throws its reason (MEMAGENT-6)", async () => {
    const { tokenizer, sampler, requests } = recorded(oracleReply);
    const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });
    const controller = new AbortController();
    const reason = new Error("enough");
    const run = agent.run(
      { document, question },
      { signal: controller.signal, onProgress: () => controller.abort(reason) },
    );
    await expect(run).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });

  it("tells after every conversation how far it is", async () => {
    const { tokenizer, sampler } = recorded(oracleReply);
    const seen: unknown[] = [];
    await memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") }).run(
      { document, question },
      {
        onProgress: (p) =>
          seen.push([p.conversationsDone, p.conversationsTotal, p.documentTokensRead, p.memoryStep?.memory]),
      },
    );
    expect(seen).toEqual([
      [1, 3, 16, " anna likes tea."],
      [2, 3, 20, " anna likes tea."],
      [3, 3, 20, undefined],
    ]);
  });

  it("keeps a special token's text in the document plain", async () => {
    const { tokenizer, sampler, requests } = recorded(() => "x");
    const config = memAgentConfig("tiny", {
      memoryPrompt: "<|end|>{question}{memory}{section}",
      specialTokens: ["<|end|>"],
    });
    await memAgent({ sampler, tokenizer, config }).run({ document: "<|end|>", question: "<|end|>?" });
    expect(requests[0]?.promptTokenIds.filter((id) => id === 0)).toHaveLength(1);
    expect(requests[0]?.promptTokenIds[0]).toBe(0);
  });

  it("leaves a model's thinking out of memory and answer", async () => {
    const { tokenizer, sampler } = recorded(() => "<think> hm, tea </think> anna likes tea.");
    const config = memAgentConfig("tiny", { memoryTokens: 40, finalTokens: 40, thinkingEnd: "</think>" });
    const result = await memAgent({ sampler, tokenizer, config }).run({ document, question });
    expect(result.memory).toBe(" anna likes tea.");
    expect(result.answer).toBe(" anna likes tea.");
  });

  it("leaves out thinking that was cut before its end, whoever began it", async () => {
    const reading = async (reply: string, overrides: Partial<MemAgentConfigInput> = {}) => {
      const { tokenizer, sampler } = recorded(() => reply);
      const settings = { memoryTokens: 8, finalTokens: 40, thinkingEnd: "</think>", ...overrides };
      const config = memAgentConfig("tiny", settings);
      return await memAgent({ sampler, tokenizer, config }).run({ document, question });
    };
    const own = await reading("<think> anna likes tea or figs or wine or milk or rice </think> tea");
    expect([own.memory, own.answer]).toEqual(["", " tea"]);
    expect(own.counts.emptyUpdates).toBe(own.counts.conversations - 1);
    const begun = await reading(" anna likes tea or figs or wine or milk </think> tea", {
      memoryPrompt: "{question}{memory}{section}<think>\n",
    });
    expect([begun.memory, begun.answer]).toEqual(["", " tea"]);
    expect((await reading(" anna <think> likes")).memory).toBe(" anna <think> likes");
    // A document that mentions the mark is no reason to forget what stands before it.
    expect((await reading(" anna </think> likes tea")).memory).toBe(" anna </think> likes tea");
  });

  it("finds the end of thinking within tokens that it shares", async () => {
    const ids = new Map([...["hm </thi", "nk> ", "tea", "<|end|>"].entries()]);
    const tokenizer: Tokenizer = {
      encode: (text) => (text === " tea" ? [7] : [9]),
      decode: (tokenIds) => tokenIds.map((id) => (id === 7 ? " tea" : (ids.get(id) ?? "?"))).join(""),
      specialTokenId: (text) => (text === "<|end|>" ? 3 : undefined),
    };
    const content = replyContent(tokenizer, [3], "</think>", ["Answer.<think>"]);
    expect(tokenizer.decode(content([0, 1, 2, 3]))).toBe(" tea");
    expect(replyContent(tokenizer, [3], "</think>")([2, 3])).toEqual([2]);
  });

  it("refuses samples that contradict the request", async () => {
    const tokenizer = wordTokenizer();
    const answering = (
      tokenIds: number[],
      rolloutLogprobs: number[],
      stopReason: "stop" | "abort" = "stop",
    ) =>
      memAgent({
        tokenizer,
        config: memAgentConfig("tiny"),
        sampler: {
          generate: async () => ({
            tokenIds,
            rolloutLogprobs,
            stopReason,
            policyVersion: 0,
            weightsHash: "",
          }),
        },
      }).run({ document, question });
    await expect(answering(Array(9).fill(0), Array(9).fill(0))).rejects.toMatchObject({ code: "BAD_SAMPLE" });
    await expect(answering([1, 0], [-1])).rejects.toMatchObject({ code: "BAD_SAMPLE" });
    await expect(answering([], [], "abort")).rejects.toMatchObject({ code: "SAMPLE_ABORTED" });
  });

  it("answers at once where the document is empty", async () => {
    const { tokenizer, sampler, requests } = recorded(oracleReply);
    const result = await memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") }).run({
      document: "",
      question,
    });
    expect(requests).toHaveLength(1);
    expect(result.memory).toBe(" none");
  });

  it("makes the record that queues carry", async () => {
    const { tokenizer, sampler } = recorded(oracleReply);
    const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny"), now: () => 5 });
    const result = await agent.run({ document, question });
    const ids = { trajectoryId: "t", groupId: "g", taskId: "q", episodeIndex: 2, actorId: "a" };
    expect(toTrajectory(agent.name, result, ids)).toMatchObject({
      ...ids,
      agent: "memagent",
      answer: " \\boxed{tea}",
      weightsHash: "script",
      policyVersionMin: 0,
      policyVersionMax: 0,
      startedAtMs: 5,
      endedAtMs: 5,
      droppedDocumentTokens: 0,
    });
  });
});

describe("memAgentConfig", () => {
  it("holds the limits of the two releases and of the quickstart", () => {
    const limits = (name: "memagent" | "memagent-vime" | "tiny") => {
      const { chunkTokens, memoryTokens, finalTokens } = memAgentConfig(name);
      return [chunkTokens, memoryTokens, finalTokens];
    };
    expect(limits("memagent")).toEqual([5000, 1024, 1024]);
    expect(limits("memagent-vime")).toEqual([2048, 1024, 256]);
    expect(limits("tiny")).toEqual([16, 8, 8]);
  });

  it("names the field where a setting is wrong", () => {
    expect(() => memAgentConfig("tiny", { chunkTokens: 0 })).toThrow(/memagent: chunkTokens: .*; it is 0$/);
    const wrong: object = { chunk: 12 };
    expect(() => memAgentConfig("tiny", wrong)).toThrow(
      /unknown key "chunk"; leave it out, or use one of chunkTokens, chunkEnds, memoryTokens, /,
    );
    expect(() => memAgentConfig("huge" as "tiny")).toThrow('preset: "huge" is unknown');
    const tokenizer = wordTokenizer();
    const { sampler } = recorded(oracleReply);
    const agent = (overrides: Parameters<typeof memAgentConfig>[1]) =>
      memAgent({ sampler, tokenizer, config: memAgentConfig("tiny", overrides) });
    expect(() => agent({ finalPrompt: "{question}" })).toThrow("finalPrompt: contains no {memory}");
    expect(() => agent({ stopTokens: ["</s>"] })).toThrow(
      'stopTokens: the tokenizer has no special token "</s>"',
    );
  });
});
