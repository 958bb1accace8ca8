import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AdvantageConfig } from "../config/loss-config.js";
import { computeAdvantages } from "./advantages.js";
import type { EpisodeReward } from "./episode-reward.js";

const grpo = AdvantageConfig.parse({ kind: "grpo" });
const episode = (groupId: string, index: number, reward: number): EpisodeReward => ({
  groupId,
  trajectoryId: `${groupId}-${index}`,
  reward,
});

describe("computeAdvantages", () => {
  it("compares within the group id, wherever the members stand", () => {
    const apart = [...[1, 0].map((r, i) => episode("a", i, r)), ...[5, 3].map((r, i) => episode("b", i, r))];
    const mixed = [apart[2], apart[0], apart[3], apart[1]].filter((e) => e !== undefined);
    const drgrpo = AdvantageConfig.parse({ kind: "drgrpo" });
    const wanted = { "a-0": 0.5, "a-1": -0.5, "b-0": 1, "b-1": -1 };
    expect(Object.fromEntries(computeAdvantages(apart, drgrpo).byTrajectory)).toEqual(wanted);
    expect(Object.fromEntries(computeAdvantages(mixed, drgrpo).byTrajectory)).toEqual(wanted);
  });

  it("takes uneven groups each by its own mean and spread", () => {
    const episodes = [
      ...[0, 1].map((r, i) => episode("a", i, r)),
      ...[0, 3, 6].map((r, i) => episode("b", i, r)),
    ];
    const result = computeAdvantages(episodes, grpo).byTrajectory;
    expect(result.get("b-0")).toBeCloseTo(-1, 5);
    expect(result.get("b-1")).toBe(0);
    expect(result.get("a-1")).toBeCloseTo(Math.SQRT1_2, 5);
  });

  it("reports groups without spread and gives them exactly zero", () => {
    const episodes = [0.1, 0.1, 0.1].map((reward, index) => episode("flat", index, reward));
    const result = computeAdvantages(episodes, grpo);
    expect(result.zeroVarianceGroups).toEqual(["flat"]);
    expect([...result.byTrajectory.values()]).toEqual([0, 0, 0]);
  });

  it("reports lone episodes apart from groups without spread", () => {
    const result = computeAdvantages([episode("lone", 0, 0.7)], grpo);
    expect(result.singletonGroups).toEqual(["lone"]);
    expect(result.zeroVarianceGroups).toEqual([]);
    expect(result.byTrajectory.get("lone-0")).toBe(0);
  });

  it("refuses a trajectory that was fanned out into two entries", () => {
    const twice = [episode("a", 0, 1), episode("a", 0, 1), episode("a", 1, 0)];
    expect(() => computeAdvantages(twice, grpo)).toThrow(/GROUP_INVALID.*a-0 occurs twice/);
  });

  it("refuses a reward that is not a number", () => {
    expect(() => computeAdvantages([episode("a", 0, Number.NaN)], grpo)).toThrow(/reward of trajectory a-0/);
  });

  it("sums to zero in every group and does not depend on a shift of the rewards", () => {
    const rewards = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(rewards, fc.integer({ min: -100, max: 100 }), (values, shift) => {
        for (const kind of ["grpo", "drgrpo", "rloo"] as const) {
          const config = AdvantageConfig.parse({ kind });
          const of = (offset: number) => [
            ...computeAdvantages(
              values.map((value, index) => episode("g", index, value + offset)),
              config,
            ).byTrajectory.values(),
          ];
          const plain = of(0);
          expect(Math.abs(plain.reduce((sum, value) => sum + value, 0))).toBeLessThan(1e-9);
          of(shift).forEach((value, index) => {
            expect(value).toBeCloseTo(plain[index] ?? Number.NaN, 8);
          });
        }
      }),
    );
  });
});
