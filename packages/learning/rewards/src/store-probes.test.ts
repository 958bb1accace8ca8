import type { MemoryRecord, StoreDiff, Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import {
  type RewardConfigInput,
  type RewardDependencies,
  rewardConfigSchema,
  rewardEmbedder,
  trajectoryReward,
} from "./index.js";
import { anEpisode } from "./scored-episode.fixture.js";

const record = (id: string, content: string): MemoryRecord => ({
  id,
  content,
  memoryType: "semantic",
  provenance: [],
  metadata: {},
});
const task: Task = {
  id: "t",
  question: " dan likes tea.",
  answers: ["tea"],
  document: "",
  metadata: {},
  records: [record("a", "dan likes milk."), record("b", "dana likes rice.")],
  probes: [
    { question: "what does dan like?", answers: ["tea"], heldOut: false },
    { question: "who is fond of tea?", answers: ["dan"], heldOut: true },
    { question: "what does dana like?", answers: ["rice"], heldOut: true },
  ],
};
const episodeOf = (diff: Partial<StoreDiff>, counters: Record<string, number> = {}) =>
  anEpisode(diff, { counters });
const rewardOf = (
  settings: Omit<Extract<RewardConfigInput, { name: "store-probes" }>, "name">,
  dependencies?: RewardDependencies,
) => trajectoryReward(rewardConfigSchema.parse({ name: "store-probes", ...settings }), dependencies);
const score = (diff: Partial<StoreDiff>, counters?: Record<string, number>) =>
  rewardOf({ faultPenalty: 0.1, changePenalty: 0.2 })(task, episodeOf(diff, counters));

describe("storeProbesReward", () => {
  it("pays for the shown probe alone, and tells of the held-out ones", async () => {
    expect(await score({ updated: [record("a", "dan likes tea.")] })).toEqual({
      reward: 1,
      components: { shown: 1, heldOut: 1, gain: 1, faults: 0, unchanged: 0, needless: 0 },
    });
    expect(await score({})).toMatchObject({ reward: 0, components: { heldOut: 0.5, gain: 0, unchanged: 1 } });
  });

  it("counts a stale record beside the right one as half", async () => {
    expect(await score({ created: [record("m1", "dan likes tea.")] })).toMatchObject({
      reward: 0.5,
      components: { shown: 0.5, heldOut: 1 },
    });
  });

  it("sees what was damaged on the way, by whole words", async () => {
    const { reward, components } = await score({
      updated: [record("b", "dan likes tea.")],
      deleted: ["a"],
    });
    expect(reward).toBeCloseTo(0.8);
    expect(components).toMatchObject({ shown: 1, heldOut: 0.5, needless: 1 });
  });

  it("takes off calls that came to nothing, and needs a store", async () => {
    const { reward, components } = await score({}, { malformed_calls: 1, failed_calls: 2 });
    expect(reward).toBeCloseTo(-0.3);
    expect(components["faults"]).toBe(3);
    await expect(rewardOf({})(task, anEpisode())).rejects.toThrow("storeDiff");
  });

  it("answers from what the search of the tools finds where that is asked, with the embedder of the settings", async () => {
    const found = { by: "search", topK: 1, denseWeight: 1 } as const;
    // Only this embedder knows that tea and Assam are the same thing.
    const asked: string[] = [];
    const embedder = {
      name: "tea",
      dimensions: 2,
      embed: async (texts: readonly string[]) => {
        asked.push(...texts);
        return texts.map((text) => (/tea|assam/i.test(text) ? [1, 0] : [0, 1]));
      },
    };
    const drinks: Task = {
      ...task,
      records: [record("a", "dan enjoys Assam."), record("b", "who is fond of rice? ben.")],
      probes: [{ question: "who is fond of tea?", answers: ["dan"], heldOut: false }],
    };
    const nothing = episodeOf({});
    expect(await rewardOf({})(drinks, nothing)).toMatchObject({ reward: 0 });
    expect(await rewardOf({ found }, { embedder })(drinks, nothing)).toMatchObject({ reward: 1 });
    expect(asked).toContain("who is fond of tea?");
    const forgot = episodeOf({ deleted: ["a"] });
    expect(await rewardOf({ found }, { embedder })(drinks, forgot)).toMatchObject({
      reward: 0,
      components: { shown: 0, gain: -1 },
    });
    // Two records are found, one of which answers.
    expect(
      await rewardOf({ found: { by: "search", topK: 2, denseWeight: 0.5 } })(drinks, nothing),
    ).toMatchObject({ reward: 0.5 });
  });
});

describe("rewardEmbedder", () => {
  it("is the embedder that a reward's settings name, and none of rewards that search nothing", () => {
    const embedder = { kind: "endpoint", url: "http://h", model: "e", dimensions: 8 } as const;
    const of = (input: RewardConfigInput) => rewardEmbedder(rewardConfigSchema.parse(input));
    expect(of({ name: "memupdate", embedder })).toEqual(embedder);
    expect(of({ name: "store-probes", found: { by: "search", embedder } })).toEqual(embedder);
    expect(of({ name: "memupdate" })).toEqual({ kind: "hashed", dimensions: 256 });
    expect(of({ name: "store-probes" })).toBeUndefined();
    expect(of({ name: "answer-f1" })).toBeUndefined();
    // Code that opens no embedder must be told at once, and not at the first episode.
    expect(() => rewardOf({ found: { by: "search", embedder } })).toThrow("embedder.kind");
  });
});
