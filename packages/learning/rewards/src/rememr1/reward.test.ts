import { type Conversation, type MemoryStep, plainSampling, type Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import type { ScoredEpisode } from "../reward-kind.js";
import { rewardConfigSchema, trajectoryReward } from "../trajectory-reward.js";

const task: Task = {
  id: "t",
  question: "where is what ben likes from?",
  answers: ["Peru"],
  document: "",
  metadata: {},
};
const conversation = (step: number, kind: Conversation["kind"] = "memory"): Conversation => ({
  kind,
  step,
  promptTokenIds: [1],
  sampledTokenIds: [2],
  rolloutLogprobs: [-1],
  sampling: plainSampling,
  stopReason: "stop",
  policyVersion: 0,
});
const step = (at: number, memory: string, more: Partial<MemoryStep> = {}): MemoryStep => ({
  step: at,
  documentTokenStart: 8 * at,
  documentTokenEnd: 8 * at + 8,
  memory,
  recalled: "",
  section: "",
  reply: `<update>${memory}</update>`,
  ...more,
});
/** The agent notes the origin, loses it, asks for it at the last section, and answers from what was found. */
const episode: ScoredEpisode = {
  answer: "\\boxed{peru}",
  conversations: [conversation(0), conversation(1), conversation(2), conversation(3, "final")],
  memorySteps: [
    step(0, " tea from peru.", { section: " tea from peru." }),
    step(1, " figs from oman.", { section: " figs from oman." }),
    step(2, " ben likes tea.", {
      section: " ben likes tea.",
      reply: "<update> ben likes tea.</update><recall> tea</recall>",
      recallQuery: " tea",
      found: " tea from peru.",
    }),
  ],
};
const score = async (settings: object, of: ScoredEpisode = episode) =>
  await trajectoryReward(rewardConfigSchema.parse(settings))(task, of);

describe("reward rememr1", () => {
  it("rewards what a step adds to the memory, what its recall adds, and the form, one value per conversation", async () => {
    const { reward, stepRewards, components } = await score({ name: "rememr1" });
    expect(reward).toBe(1);
    expect(stepRewards).toEqual([1 + 1, -1 + 1, 1 + 1, 1]);
    expect(components).toMatchObject({ exactMatch: 1, memoryGain: 0, recallGain: 1, stepFormat: 4 });
  });

  it("weighs the parts of a step and takes another outcome when told to", async () => {
    const weights = { memoryGain: 0, recallGain: 2, format: 0.5 };
    const { reward, stepRewards } = await score(
      { name: "rememr1", outcome: "boxed-f1", ...weights },
      { ...episode, answer: "\\boxed{lima, peru}" },
    );
    expect(reward).toBeCloseTo(2 / 3, 12);
    expect(stepRewards).toEqual([0.5, 0.5, 2.5, 0.5]);
  });

  it("goes by the memory that was there: a reply without an update keeps it and gains nothing", async () => {
    const [first] = episode.memorySteps as [MemoryStep];
    const kept = step(1, first.memory, { reply: "nothing new" });
    const { stepRewards } = await score(
      { name: "rememr1" },
      { ...episode, conversations: episode.conversations.slice(0, 2), memorySteps: [first, kept] },
    );
    expect(stepRewards).toEqual([2, 0]);
  });

  it("takes a little from a step that writes what does not answer, and needs no replies where it pays for none", async () => {
    const written = (at: number, memory: string, head?: number): MemoryStep => {
      const {
        reply: _reply,
        section: _section,
        ...rest
      } = step(at, memory, head === undefined ? {} : { head });
      return rest;
    };
    const settings = { name: "rememr1", outcome: "answer-f1", recallGain: 0, format: 0, needlessWrite: 0.25 };
    const memorySteps = [written(0, " -", undefined), written(1, " peru -", 1), written(2, " peru figs", 2)];
    const { stepRewards, components } = await score(settings, { ...episode, memorySteps });
    expect(stepRewards).toEqual([0, 1, -0.25, 0]);
    expect(components).toMatchObject({ needlessWrites: 1 });
    // One memory: whether its first step wrote is not known.
    const single = [written(0, " tea."), written(1, " tea."), written(2, " figs.")];
    expect((await score(settings, { ...episode, memorySteps: single })).stepRewards).toEqual([
      0, 0, -0.25, 0,
    ]);
  });

  it("as released pays for every memory that holds the answer, as often as it is written", async () => {
    const name = { ...task, answers: ["peru"] };
    const memorySteps = [0, 1].map((at) => step(at, " tea from peru."));
    const reward = trajectoryReward(rewardConfigSchema.parse({ name: "rememr1-released" }));
    const { stepRewards } = await reward(name, {
      ...episode,
      conversations: episode.conversations.slice(0, 2),
      memorySteps,
    });
    expect(stepRewards).toEqual([2, 2]);
  });

  it("refuses episodes without the replies of their steps", () => {
    const silent = episode.memorySteps.map(({ reply: _reply, ...rest }) => rest);
    const reward = trajectoryReward(rewardConfigSchema.parse({ name: "rememr1" }));
    expect(() => reward(task, { ...episode, memorySteps: silent })).toThrow(/STEPS_MISSING.*step 0/);
  });
});
