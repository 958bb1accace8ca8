import type { Group } from "@palimpsest/trajectories";
import { expect, test } from "vitest";
import { rewardByCategory } from "./category-rewards.js";

test("the rewards of a step by the categories of its tasks; tasks without one are left out", () => {
  const group = (taskId: string, rewards: readonly number[]) => ({
    taskId,
    members: rewards.map((reward) => ({ score: { reward, components: {} } })) as unknown as Group["members"],
  });
  const groups = [group("a", [1, 0]), group("b", [1]), group("c", [0.5]), group("d", [9])];
  expect(rewardByCategory(groups, { a: "near", b: "near", c: "far" })).toEqual({ far: 0.5, near: 2 / 3 });
});
