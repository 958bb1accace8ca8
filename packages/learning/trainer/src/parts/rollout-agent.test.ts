import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { expect, it } from "vitest";
import { parseRecipe } from "../recipe/recipe.js";
import { rolloutAgent } from "./rollout-agent.js";

it("ends an episode before its conversation is longer than the sampler takes", async () => {
  const recipe = parseRecipe(
    `
name: growing
model: { path: ./base }
agent: { kind: memupdate, preset: tiny, settings: { maxTurns: 30, episodeTokens: 4000 } }
data: { source: store, store: {} }
reward: { name: store-probes }
rollout: { maxTokens: 80 }
learner: { groupSize: 4, buckets: [{ rows: 8, length: 48 }] }
train: { steps: 3 }
`,
    "/data",
  );
  const tokenizer = wordTokenizer(["<|end|>"]);
  const lengths: number[] = [];
  const sampler = scriptedSampler({
    tokenizer,
    reply: () => " search ann",
    onRequest: ({ promptTokenIds, maxTokens }) => lengths.push(promptTokenIds.length + maxTokens),
  });
  const records = [
    { id: "r1", content: " ann likes tea.", memoryType: "episodic", provenance: [], metadata: {} } as const,
  ];
  const episode = await rolloutAgent(recipe, { sampler, tokenizer }).run({
    question: " ann likes mats.",
    document: "",
    records,
  });
  expect(lengths.length).toBeGreaterThan(2);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(80);
  expect(episode.conversations).not.toHaveLength(0);
});

it("encodes a document once for all episodes of its group", async () => {
  const recipe = parseRecipe(
    `
name: reading
model: { path: ./base }
agent: { kind: memagent, preset: tiny }
data: { source: ruler, ruler: { sentences: 4 } }
rollout: { maxTokens: 80 }
learner: { groupSize: 4, buckets: [{ rows: 8, length: 80 }] }
train: { steps: 3 }
`,
    "/data",
  );
  const words = wordTokenizer(["<|end|>"]);
  let encoded = 0;
  const tokenizer = {
    ...words,
    encode: (...given: Parameters<typeof words.encode>) => {
      if (given[0] === document) encoded += 1;
      return words.encode(...given);
    },
  };
  const document = " ann likes tea.".repeat(20);
  const sampler = scriptedSampler({ tokenizer, reply: () => " tea" });
  const agent = rolloutAgent(recipe, { sampler, tokenizer });
  const episodes = await Promise.all(
    [0, 1, 2].map((seed) => agent.run({ question: "?", document }, { seed })),
  );
  expect(new Set(episodes.map(({ documentTokens }) => documentTokens))).toEqual(new Set([80]));
  expect(encoded).toBe(1);
});
