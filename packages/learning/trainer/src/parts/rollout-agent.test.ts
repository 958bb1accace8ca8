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
