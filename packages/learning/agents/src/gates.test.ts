import { describe, expect, it } from "vitest";
import type { EpisodeState } from "./episode.js";
import type { MemAgentConfigInput } from "./memagent/config.js";
import { memAgent } from "./memagent/memagent.js";
import { memAgentConfig } from "./memagent/presets.js";
import { rememr1Config } from "./rememr1/presets.js";
import { rememr1 } from "./rememr1/rememr1.js";
import type { GenerateRequest } from "./sampler.js";
import { oracleReply, scriptedSampler, wordTokenizer } from "./testing.js";

const document = " ben likes milk. anna likes tea. cora likes rice. dan likes figs. eva likes jazz.";
const question = "what does anna like?";

/** An agent of sections of one sentence, whose replies are these, and then the answer. */
function reader(replies: readonly string[], settings: Partial<MemAgentConfigInput> = {}) {
  const queue = [...replies];
  const tokenizer = wordTokenizer();
  const requests: GenerateRequest[] = [];
  const sampler = scriptedSampler({
    tokenizer,
    reply: (prompt) => (prompt.endsWith("answer:") ? " figs" : (queue.shift() ?? "")),
    onRequest: (request) => requests.push(request),
  });
  const config = memAgentConfig("tiny", { chunkTokens: 4, memoryTokens: 16, ...settings });
  return { agent: memAgent({ sampler, tokenizer, config }), requests, tokenizer };
}

describe("gates", () => {
  it("are MemAgent token for token where they are absent or off (GATES-1)", async () => {
    const run = async (settings: Partial<MemAgentConfigInput>) => {
      const tokenizer = wordTokenizer();
      const requests: GenerateRequest[] = [];
      // Its memories have the marks' words in them.
      const sampler = scriptedSampler({
        tokenizer,
        reply: (prompt) => `${oracleReply(prompt)} same done`,
        onRequest: (request) => requests.push(request),
      });
      const result = await memAgent({ sampler, tokenizer, config: memAgentConfig("tiny", settings) }).run({
        document,
        question,
      });
      return { requests, result: { ...result, startedAtMs: 0, endedAtMs: 0 } };
    };
    const plain = await run({});
    const off = await run({ gates: {} });
    expect(off.requests).toEqual(plain.requests);
    expect(plain.result.counters).toBeUndefined();
    expect(off.result.counters).toBeUndefined();
    expect(off.result.conversations).toEqual(plain.result.conversations);
    expect(off.result.memory).toContain("same done");
  });

  it("keep memory and heads where a reply says so, and count it (GATES-2, GATES-4)", async () => {
    for (const memory of [undefined, { heads: 2, label: " -", turn: "" }]) {
      const { agent } = reader(
        [" ben likes milk.", "same, I think", " Same", " dan likes figs.", " sameness"],
        {
          gates: { keep: "same" },
          ...(memory ? { memory } : {}),
        },
      );
      const result = await agent.run({ document, question });
      const [milk, figs, sameness] = memory
        ? ["- ben likes milk. - none", "- ben likes milk. - dan likes figs.", "- sameness - dan likes figs."]
        : [" ben likes milk.", " dan likes figs.", " sameness"];
      expect(result.steps.map((step) => step.memory)).toEqual([milk, milk, milk, figs, sameness]);
      expect(result.steps.map(({ written }) => written)).toEqual([true, false, false, true, true]);
      expect(result.steps.map(({ section }) => section).join("")).toBe(document);
      // 5 + 5 + 2 + 5 + 2 tokens of replies of at most 16, or 8 for each of two heads.
      const most = 5 * (memory ? 8 : 16);
      expect(result.counters).toEqual({ kept_memories: 2, unread_share: 0, unwritten_share: 1 - 19 / most });
      expect(result.steps.map(({ head }) => head)).toEqual(
        memory ? [1, undefined, undefined, 2, 1] : Array(5).fill(undefined),
      );
    }
  });

  it("end the reading, and read nothing more of a stream (GATES-3)", async () => {
    const { agent, requests } = reader([" ben likes milk.", " anna likes tea. done."], {
      gates: { stop: "done" },
      maxChunks: 9,
    });
    const result = await agent.run({ document, question });
    expect(result.steps.map(({ memory, exit }) => [memory, exit])).toEqual([
      [" ben likes milk.", false],
      [" anna likes tea.", true],
    ]);
    expect(result.answer).toBe(" figs");
    expect(requests).toHaveLength(3);
    expect(result.documentTokens).toBe(8);
    expect(result.counters).toEqual({ unread_share: 1 - 2 / 5, unwritten_share: 1 - 12 / (5 * 16) });

    let pieces = 0;
    function* stream() {
      for (;;) {
        pieces += 1;
        yield " eva likes jazz.";
      }
    }
    const streamed = reader([" eva likes jazz.", " done"], { gates: { keep: "same", stop: "done" } });
    const read = await streamed.agent.run({ document: stream(), question });
    expect(pieces).toBe(2);
    // A mark alone keeps the memory, and how long an endless document is nobody knows.
    expect(read.memory).toBe(" eva likes jazz.");
    expect(read.counters).toEqual({ kept_memories: 1 });
    expect(read.steps[1]).toMatchObject({ written: false, exit: true });
  });

  it("do not end the reading where exits are off, and take the mark off all the same", async () => {
    const replies = [" ben likes milk. done", "same done", " cora likes rice.", "same", "same"];
    const { agent, requests } = reader(replies, { gates: { keep: "same", stop: "done", exit: false } });
    const result = await agent.run({ document, question });
    expect(requests).toHaveLength(6);
    expect(result.steps.map(({ memory }) => memory).slice(0, 3)).toEqual([
      ...[" ben likes milk.", " ben likes milk.", " cora likes rice."],
    ]);
    expect(result.steps.every(({ exit }) => exit === false)).toBe(true);
  });

  it("cut a memory without the mark to its limit, and leave room for the mark", async () => {
    const settings = { gates: { stop: "done" }, memoryTokens: 4, chunkTokens: 20 };
    for (const [reply, memory, exit] of [
      [" anna likes tea and more", " anna likes tea and", false],
      [" anna likes tea. done", " anna likes tea.", true],
    ] as const) {
      const result = await reader([reply], settings).agent.run({ document, question });
      expect(result.steps[0]).toMatchObject({ memory, exit });
    }
  });

  it("resume behind an exit with the answer (MEMAGENT-7)", async () => {
    const gates = { keep: "same", stop: "done" };
    const states: EpisodeState[] = [];
    const whole = await reader([" ben likes milk.", "same", "same done"], { gates }).agent.run(
      { document, question },
      { onProgress: ({ state }) => state && states.push(structuredClone(state)) },
    );
    const { agent, requests } = reader([], { gates });
    const resumed = await agent.run({ document, question }, { resumeFrom: states.at(-1) as EpisodeState });
    expect(requests).toHaveLength(1);
    expect(resumed.counters).toEqual(whole.counters);
    expect(resumed.counts).toEqual(whole.counts);
    expect(resumed.memory).toBe(whole.memory);
  });

  it("are those of ReMemR1, too, whose kept memories are not missing updates", async () => {
    const tags = ["<update>", "</update>", "<recall>", "</recall>"];
    const replies = [
      "<update> ben likes milk.</update>",
      " same<recall> milk</recall>",
      "<update> cora likes rice.</update><recall> milk</recall> done",
    ];
    const tokenizer = wordTokenizer(["<|end|>", ...tags]);
    const prompts: string[] = [];
    const sampler = scriptedSampler({
      tokenizer,
      reply: (prompt) => {
        prompts.push(prompt);
        return prompt.endsWith("answer:") ? " figs" : (replies.shift() ?? "");
      },
    });
    const config = rememr1Config("tiny", { chunkTokens: 4, gates: { keep: "same", stop: "done" } });
    const result = await rememr1({ sampler, tokenizer, config }).run({ document, question });
    expect(result.steps.map(({ memory, written, exit }) => [memory, written, exit])).toEqual([
      [" ben likes milk.", true, false],
      [" ben likes milk.", false, false],
      [" cora likes rice.", true, true],
    ]);
    expect(prompts.at(-1)).toContain("recalled: ben likes milk.");
    expect(result.counters).toMatchObject({ kept_memories: 1, missing_updates: 0, unread_share: 1 - 3 / 5 });
  });
});
