import type { ScoredTrajectory } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { AdvantageConfig, StepAdvantageConfig } from "../config/loss-config.js";
import { presets } from "../config/preset.js";
import { createRandom } from "../config/random.js";
import { aConversation, aMember } from "../learner/groups.fixture.js";
import { rowsFromGroups } from "./rows.js";

/** Two memory turns and an answer, each with a reward of its own. */
function member(episodeIndex: number, reward: number, stepRewards: readonly number[]): ScoredTrajectory {
  const conversations = stepRewards.map((_, step) =>
    aConversation({ step, kind: step === stepRewards.length - 1 ? "final" : "memory" }),
  );
  const made = aMember({ episodeIndex, reward, conversations });
  return { ...made, score: { ...made.score, stepRewards } };
}
const groupOf = (...members: ScoredTrajectory[]) => ({
  groupId: "g",
  taskId: "t",
  groupSize: Math.max(members.length, 2),
  members,
});
const drgrpo = AdvantageConfig.parse({ kind: "drgrpo" });

function stepAssignment(name: "rememr1" | "rememr1-released") {
  const { advantage, stepAdvantage } = presets[name];
  return {
    advantage: AdvantageConfig.parse(advantage),
    stepAdvantage: StepAdvantageConfig.parse(stepAdvantage),
  };
}

describe("assignAdvantages", () => {
  it.each([
    ["rememr1", 1],
    ["rememr1-released", 2],
  ] as const)(
    "%s: 0.8 of the outcome's and 0.2 of the step's centered rewards, each step reward counted %i times",
    (name, times) => {
      const group = groupOf(member(0, 1, [2, 1, 1]), member(1, 0, [0, 1, 0]));
      const { rows } = rowsFromGroups([group], stepAssignment(name));
      // Outcome: ±0.5. Steps, centered: ±1, 0, ±0.5.
      const wanted = [1, 0, 0.5, -1, 0, -0.5].map((step, i) => (i < 3 ? 0.4 : -0.4) + 0.2 * times * step);
      rows.forEach((row, index) => {
        expect(row.advantage).toBeCloseTo(wanted[index] ?? Number.NaN, 12);
      });
      expect(rows).toHaveLength(6);
    },
  );

  it("compares a step with the same step only; a lone step has its bare reward where the preset says so", () => {
    const group = groupOf(member(0, 1, [1, 1, 3]), member(1, 1, [0, 2]));
    const config = (singleton: "zero" | "reward") => ({
      advantage: drgrpo,
      stepAdvantage: StepAdvantageConfig.parse({
        outcomeWeight: 0.5,
        advantage: { kind: "drgrpo", singleton },
      }),
    });
    const of = (singleton: "zero" | "reward") =>
      rowsFromGroups([group], config(singleton)).rows.map((row) => row.advantage);
    expect(of("zero")).toEqual([0.25, -0.25, 0, -0.25, 0.25]);
    expect(of("reward")).toEqual([0.25, -0.25, 1.5, -0.25, 0.25]);
  });

  it("divide: every conversation has its share of the trajectory's advantage", () => {
    const group = groupOf(member(0, 1, [0, 0, 0, 0]), member(1, 0, [0, 0]));
    const { rows } = rowsFromGroups([group], { advantage: drgrpo, spread: "divide" });
    expect(rows.map((row) => row.advantage)).toEqual([0.125, 0.125, 0.125, 0.125, -0.25, -0.25]);
  });

  it("refuses step advantages of a reward that scores no steps, naming the fix", () => {
    const group = groupOf(aMember({ episodeIndex: 0 }), aMember({ episodeIndex: 1 }));
    const stepAdvantage = StepAdvantageConfig.parse({});
    expect(() => rowsFromGroups([group], { advantage: drgrpo, stepAdvantage })).toThrow(
      /GROUP_INVALID.*g-0 has 0 stepRewards for 1 conversations.*stepAdvantage to null/,
    );
  });

  it("deals step rewards out among the episodes that have the step when rewards are shuffled", () => {
    const group = groupOf(...[0, 1, 2, 3].map((i) => member(i, i, i === 3 ? [i, i] : [i, i, 10 + i])));
    const { members } = rowsFromGroups([group], { advantage: drgrpo }, { shuffle: createRandom(3) });
    const steps = members.map(({ score }) => score.stepRewards ?? []);
    expect(steps.map((rewards) => rewards.length)).toEqual([3, 3, 3, 2]);
    expect(steps.map((rewards) => rewards[0]).sort()).toEqual([0, 1, 2, 3]);
    expect(steps.flatMap((rewards) => rewards.slice(2)).sort()).toEqual([10, 11, 12]);
    expect(steps).not.toEqual(group.members.map(({ score }) => score.stepRewards));
  });

  it("reinforce++ whitens over the batch's trained tokens, as verl does", () => {
    const long = aConversation({ sampledTokenIds: [5, 5, 5, 5, 5, 5] });
    const a = groupOf(
      aMember({ episodeIndex: 0, reward: 1, conversations: [long] }),
      aMember({ episodeIndex: 1, reward: 0 }),
    );
    const b = {
      ...groupOf(
        aMember({ groupId: "h", episodeIndex: 0, reward: 1 }),
        aMember({ groupId: "h", episodeIndex: 1, reward: 1 }),
      ),
      groupId: "h",
    };
    const advantagesOf = (baseline: boolean) =>
      rowsFromGroups([a, b], {
        advantage: AdvantageConfig.parse({ kind: "reinforce++", baseline }),
      }).rows.map((row) => row.advantage);
    const whitened = (tokens: readonly number[]) => {
      const mean = tokens.reduce((sum, x) => sum + x, 0) / tokens.length;
      const variance = tokens.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (tokens.length - 1);
      return (x: number) => (x - mean) / Math.sqrt(variance + 1e-8);
    };
    const plain = whitened([1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1]);
    [1, 0, 1, 1].forEach((reward, index) => {
      expect(advantagesOf(false)[index]).toBeCloseTo(plain(reward), 9);
    });
    const centered = whitened([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -0.5, -0.5, 0, 0, 0, 0]);
    [0.5, -0.5, 0, 0].forEach((value, index) => {
      expect(advantagesOf(true)[index]).toBeCloseTo(centered(value), 9);
    });
  });
});
