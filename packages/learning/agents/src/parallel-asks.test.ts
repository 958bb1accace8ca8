import { expect, it } from "vitest";
import { z } from "zod";
import { defineAgent } from "./define-agent.js";
import type { OwnEpisode } from "./own-episode.js";
import type { GenerateRequest, Sampler } from "./sampler.js";
import { scriptedSampler, wordTokenizer } from "./testing.js";
import { searchTool } from "./tools/search-tool.js";

/** An episode that asks three times at once, and then once more; replies come in the order of `order`. */
async function anEpisode(order: readonly number[]) {
  const tokenizer = wordTokenizer();
  // Ids are given in order of first sight.
  for (const word of ["heard", "one", "two", "three", "all"]) tokenizer.encode(`${word}. ${word}`);
  const requests: GenerateRequest[] = [];
  const script = scriptedSampler({ tokenizer, reply: (prompt) => `heard ${prompt}` });
  const waiting: (() => void)[] = [];
  const told: string[] = [];
  const answered = async () => {
    for (const at of order) {
      // Every one is through before the next.
      await new Promise((done) => setImmediate(done));
      waiting[at]?.();
    }
  };
  const agent = defineAgent({
    kind: "mapper",
    settings: z.strictObject({}),
    stopTokens: ["<|end|>"],
    async run(_task, episode) {
      const asked = ["one", "two", "three"].map((section) => episode.ask(section, { maxTokens: 9 }));
      const [replies] = await Promise.all([Promise.all(asked), answered()]);
      episode.note(replies.map(({ text }) => text).join());
      const answer = await episode.ask("all", { maxTokens: 9, kind: "final" });
      return { answer: answer.text };
    },
  }).create(
    {},
    {
      tokenizer,
      sampler: {
        async generate(request, signal) {
          if (requests.push(request) <= 3) {
            await new Promise<void>((go) => waiting.push(go));
          }
          return await script.generate(request, signal);
        },
      },
    },
  );
  const result = await agent.run(
    { question: "?", document: "" },
    {
      seed: 5,
      onProgress: ({ conversation }) => told.push(tokenizer.decode([...conversation.promptTokenIds])),
    },
  );
  return { result, requests, told };
}

it("asks at once with seeds of their own, and keeps the order of asking whoever is answered first", async () => {
  const { result, requests, told } = await anEpisode([0, 1, 2]);
  expect(new Set(requests.map(({ seed }) => seed)).size).toBe(4);
  expect(result.conversations.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  expect(result.steps).toMatchObject([{ step: 2, memory: "heard one,heard two,heard three" }]);
  expect([...told].sort()).toEqual(["all", "one", "three", "two"]);
  for (const order of [
    [2, 1, 0],
    [1, 2, 0],
  ]) {
    const other = await anEpisode(order);
    expect(other.result.conversations).toEqual(result.conversations);
    expect(other.result.steps).toEqual(result.steps);
    expect(other.result.counts).toEqual(result.counts);
    expect([...other.told].sort()).toEqual([...told].sort());
  }
});

it("refuses what would depend on who is answered first, and says how to ask", async () => {
  const tokenizer = wordTokenizer();
  const script = scriptedSampler({ tokenizer, reply: (prompt) => `heard ${prompt}` });
  const sampler: Sampler = {
    async generate(request, signal) {
      if (tokenizer.decode(request.promptTokenIds) === "b") await new Promise((done) => setImmediate(done));
      return await script.generate(request, signal);
    },
  };
  const run = async (work: (episode: OwnEpisode) => Promise<unknown>) => {
    const settings = z.strictObject({});
    const definition = { kind: "mapper", settings, stopTokens: ["<|end|>"] };
    const agent = defineAgent({
      ...definition,
      async run(_task, episode) {
        await work(episode);
        return { answer: "" };
      },
    }).create({}, { tokenizer, sampler });
    return await agent.run({ question: "?", document: "" });
  };
  const ask = (episode: OwnEpisode, prompt: string) => episode.ask(prompt, { maxTokens: 9 });
  const chains = run((episode) =>
    Promise.all(["a", "b"].map(async (section) => await ask(episode, (await ask(episode, section)).text))),
  );
  await expect(chains).rejects.toThrow(
    /\[BAD_STATE\] ask: was called while some of the conversations .* Promise\.all/,
  );
  const tools = [searchTool({ texts: ["a"] })];
  const use = (episode: OwnEpisode) =>
    episode.useTools("b", { tools, maxTokens: 9, callForm: "lines", listTools: false });
  await expect(run((episode) => Promise.all([ask(episode, "a"), use(episode)]))).rejects.toThrow(
    "[BAD_STATE] useTools: was called while another conversation is running; await",
  );
  await expect(run((episode) => Promise.all([use(episode), ask(episode, "a")]))).rejects.toThrow(
    "[BAD_STATE] ask: was called while a conversation with tools is running; await",
  );
  // One after the other all of them are in order.
  await run(async (episode) => [await use(episode), await ask(episode, "a"), await use(episode)]);
});
