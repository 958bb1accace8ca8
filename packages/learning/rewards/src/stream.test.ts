import type { MemoryRecord, Probe } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { type RewardConfigInput, rewardConfigSchema, trajectoryReward } from "./index.js";
import { anEpisode, aRecord, aTask } from "./scored-episode.fixture.js";

const asks = (question: string, category: string, answers: readonly string[]): Probe => ({
  question,
  category,
  answers,
  heldOut: true,
});
const task = aTask({
  question: "",
  answers: [],
  document: [
    "ann likes cats.",
    "ben likes nuts.",
    "ann likes figs.",
    "cem draws hats.",
    "dan likes pens.",
    "dan likes nothing.",
  ].join("\n"),
  metadata: { subjects: "ann | ben | cem | dan", candidates: "cats | nuts | figs | hats | pens" },
  probes: [
    asks("what does ann like?", "current", ["figs"]),
    asks("what does ben like?", "current", ["nuts"]),
    asks("what did ann like before?", "past", ["cats"]),
    asks("what do ann and ben like?", "multi", ["figs and nuts"]),
    asks("what does cem like?", "unknown", []),
    asks("what does dan like?", "unknown", []),
  ],
});
type StreamInput = Partial<Extract<RewardConfigInput, { name: "stream" }>>;
const score = async (
  records: readonly MemoryRecord[],
  settings: StreamInput = {},
  counters: Record<string, number> = {},
) =>
  await trajectoryReward(rewardConfigSchema.parse({ name: "stream", sizePrice: 0, ...settings }))(
    task,
    anEpisode({ created: records }, { counters }),
  );
const right = [
  aRecord("m1", "ann likes figs.", { metadata: { former: "ann likes cats." } }),
  aRecord("m2", "ben likes nuts."),
];

describe("streamReward", () => {
  it("pays for what a reader finds above an empty store, and no more than there is to know", async () => {
    const { reward, components } = await score(right);
    expect(reward).toBeCloseTo(4 / 6, 12);
    expect(components).toMatchObject({
      current: 1,
      past: 1,
      multi: 1,
      unknown: 1,
      stale: 0,
      faults: 0,
      records: 2,
    });
    expect(await score([])).toMatchObject({ reward: 0, components: { gain: 0, unknown: 1, current: 0 } });
  });

  it("counts a stale value beside the right one as half, and reads older records as the past", async () => {
    const both = [aRecord("m1", "ann likes cats."), aRecord("m2", "ann likes figs.")];
    expect((await score(both)).components).toMatchObject({ current: 0.25, past: 1, stale: 0.5 });
    expect((await score([...both].reverse())).components).toMatchObject({ past: 0 });
  });

  it("pays nothing for what talk, a list or an invention adds", async () => {
    const talk = await score([...right, aRecord("m3", "cem draws hats.")]);
    expect(talk.components["unknown"]).toBe(0.5);
    const list = await score([aRecord("m1", "ann ben cem dan cats nuts figs hats pens")]);
    expect(list).toMatchObject({ components: { gain: 0, faults: 1 } });
    expect(list.reward).toBeLessThan(0);
    expect((await score([aRecord("m1", "ben likes hats.")])).components).toMatchObject({ stale: 0 });
  });

  it("takes off size, faulty calls, records that are too long and those that no turns support", async () => {
    const { reward } = await score(right, { sizePrice: 0.2, budgetTokens: 24 });
    expect(reward).toBeCloseTo((4 / 6) * (1 - 0.2 * (12 / 24)), 12);
    expect((await score(right, { budgetTokens: 11 })).components["gain"]).toBe(0);
    const faulty = await score(right, {}, { malformed_calls: 1, failed_calls: 1, refused_calls: 1 });
    expect(faulty.reward).toBeCloseTo(4 / 6 - 0.1 * (3 / 6), 12);
    expect((await score(right, { recordWords: 2 })).components["faults"]).toBe(2);
    expect((await score([aRecord("m1", "zoe flies kites to paris")])).components["faults"]).toBe(1);
  });

  it("reads no more than its tokens for a question", async () => {
    const { components } = await score(right, { retrievedTokens: 4 });
    expect(components).toMatchObject({ multi: 0.5 });
  });

  it("refuses tasks whose values its reader cannot know, and agents without a store", async () => {
    const reward = trajectoryReward(rewardConfigSchema.parse({ name: "stream" }));
    await expect(reward(aTask(), anEpisode({}))).rejects.toThrow("no subjects and candidates");
    await expect(reward(task, anEpisode())).rejects.toThrow("storeDiff");
  });
});
