import { describe, expect, it } from "vitest";
import { scriptedSampler, wordTokenizer } from "../testing.js";
import { memUpdate } from "./memupdate.js";
import { memUpdateConfig } from "./presets.js";

const document = "ann likes cats.\nben likes hats.\nann likes figs.\n\nrain and wind.\nben likes nothing.";

/** An agent that is told so many turns at once, and replies by what it was told. */
function aWriter(streamTurns: number, reply: (prompt: string) => string) {
  const tokenizer = wordTokenizer(["<|end|>"]);
  const prompts: string[] = [];
  const sampler = scriptedSampler({
    tokenizer,
    reply: (prompt) => {
      prompts.push(prompt);
      return reply(prompt);
    },
  });
  const config = memUpdateConfig("tiny", {
    streamTurns,
    shownRecords: 2,
    maxTurns: 1,
    tools: ["manage_memory", "delete_memory"],
    userPrompt: "{memories}\nnew: {question}\ndo:",
  });
  return { agent: memUpdate({ sampler, tokenizer, config, now: () => 0 }), prompts };
}

/** Replies as one who keeps the newest fact about each name. */
function keepsNewest(prompt: string): string {
  const told = /new: (\S+) likes (\S+)\n/.exec(prompt);
  if (told === null) return " done";
  const [, name, value] = told;
  const id = new RegExp(`(m\\d+) ${name} likes`).exec(prompt)?.[1];
  if (value === "nothing.") return id === undefined ? " done" : ` delete ${id}`;
  return id === undefined ? ` create ${name} likes ${value}` : ` update ${id} ${name} likes ${value}`;
}

describe("MemUpdate on a stream", () => {
  it("has one conversation for each turn, and a store that all of them write", async () => {
    const { agent, prompts } = aWriter(1, keepsNewest);
    const result = await agent.run({ question: "", document });
    expect(result.storeDiff?.created.map(({ id, content, metadata }) => [id, content, metadata])).toEqual([
      ["m1", "ann likes figs.", { former: "ann likes cats." }],
    ]);
    expect(result.conversations.map(({ kind, step }) => [kind, step])).toEqual(
      [0, 1, 2, 3, 4].map((step) => ["tool", step]),
    );
    expect(result.steps.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
    expect(result.counters).toMatchObject({
      num_turns: 5,
      done_calls: 4,
      "ended.done": 1,
      "ended.turn_limit": 4,
    });
    expect(result.documentTokens).toBeGreaterThan(10);
    expect(prompts[0]).toContain("none\nnew: ann likes cats.");
    expect(prompts[2]).toMatch(/m1 ann likes cats\.[\s\S]*\nnew: ann likes figs\./);
  });

  it("is told several turns at once, and the same of a document in pieces", async () => {
    const [whole, pieces] = [aWriter(2, () => " done"), aWriter(2, () => " done")];
    await whole.agent.run({ question: "", document });
    await pieces.agent.run({ question: "", document: document.match(/[\s\S]{1,7}/g) ?? [] });
    expect(whole.prompts).toHaveLength(3);
    expect(whole.prompts[0]).toContain("new: ann likes cats.\nben likes hats.\n");
    expect(pieces.prompts).toEqual(whole.prompts);
  });

  it("refuses a document without turns", async () => {
    await expect(aWriter(1, () => " done").agent.run({ question: "", document: " \n" })).rejects.toThrow(
      /document: has no turns/,
    );
  });

  it("keeps former texts out of reach: what a model writes as one is dropped", async () => {
    const tokenizer = wordTokenizer(["<|end|>"]);
    const call = (given: object) =>
      `<tool_call>\n${JSON.stringify({ name: "manage_memory", arguments: given })}\n</tool_call>`;
    const sampler = scriptedSampler({
      tokenizer,
      reply: () =>
        call({ operation: "create", content: "ann likes cats.", metadata: { former: "ann likes figs." } }),
    });
    const config = memUpdateConfig("memupdate", {
      streamTurns: 1,
      prompt: "text",
      maxTurns: 1,
      stopTokens: ["<|end|>"],
    });
    const agent = memUpdate({ sampler, tokenizer, config, now: () => 0 });
    const { storeDiff } = await agent.run({ question: "", document: "ann likes cats." });
    expect(storeDiff?.created.map(({ metadata }) => metadata)).toEqual([{}]);
  });
});
