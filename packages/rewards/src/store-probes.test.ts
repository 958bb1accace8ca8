import type { MemoryRecord, StoreDiff, Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { storeProbesReward } from "./store-probes.js";

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
const nothing: StoreDiff = { created: [], updated: [], deleted: [] };
const score = (diff: Partial<StoreDiff>, counters: Record<string, number> = {}) =>
  storeProbesReward({ name: "store-probes", faultPenalty: 0.1, changePenalty: 0.2 })(task, {
    answer: "",
    conversations: [],
    memorySteps: [],
    storeDiff: { ...nothing, ...diff },
    counters,
  });

describe("storeProbesReward", () => {
  it("pays for the shown probe alone, and tells of the held-out ones", () => {
    expect(score({ updated: [record("a", "dan likes tea.")] })).toEqual({
      reward: 1,
      components: { shown: 1, heldOut: 1, gain: 1, faults: 0, unchanged: 0, needless: 0 },
    });
    expect(score({})).toMatchObject({ reward: 0, components: { heldOut: 0.5, gain: 0, unchanged: 1 } });
  });

  it("counts a stale record beside the right one as half", () => {
    expect(score({ created: [record("m1", "dan likes tea.")] })).toMatchObject({
      reward: 0.5,
      components: { shown: 0.5, heldOut: 1 },
    });
  });

  it("sees what was damaged on the way, by whole words", () => {
    const { reward, components } = score({ updated: [record("b", "dan likes tea.")], deleted: ["a"] }) as {
      reward: number;
      components: Record<string, number>;
    };
    expect(reward).toBeCloseTo(0.8);
    expect(components).toMatchObject({ shown: 1, heldOut: 0.5, needless: 1 });
  });

  it("takes off calls that came to nothing, and needs a store", () => {
    const { reward, components } = score({}, { malformed_calls: 1, failed_calls: 2 }) as {
      reward: number;
      components: Record<string, number>;
    };
    expect(reward).toBeCloseTo(-0.3);
    expect(components["faults"]).toBe(3);
    const episode = { answer: "", conversations: [], memorySteps: [] };
    expect(() =>
      storeProbesReward({ name: "store-probes", faultPenalty: 0, changePenalty: 0 })(task, episode),
    ).toThrow("storeDiff");
  });
});
