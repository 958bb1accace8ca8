import { expect, it } from "vitest";
import { type StepNumbers, stepTime } from "./step-parts.js";

const healthy: StepNumbers = {
  learnerWaitSeconds: 3,
  rolloutSeconds: 9,
  updateSeconds: 3,
  checkpointSeconds: 0.3,
  publishSeconds: 0.2,
  groupsDispatched: 100,
  groupsFailed: 0,
  groupsStale: 0,
};

it.each([
  ["slow rollouts", { learnerWaitSeconds: 40 }, "rollout", /rollout\.actors/],
  ["rollouts that take turns with the update", { learnerWaitSeconds: 6 }, "rollout", /maxStaleness: 1/],
  ["a slow update", { updateSeconds: 40 }, "update", /learnerThreads/],
  ["large checkpoints", { updateSeconds: 2, checkpointSeconds: 22 }, "checkpoint", /checkpointEverySteps/],
  ["large weights", { updateSeconds: 2, publishSeconds: 22 }, "publish", /lora/],
  ["padding", { "update.paddingFraction": 0.6 }, undefined, /padding/],
  ["failing groups", { groupsFailed: 20 }, undefined, /failed/],
  ["stale groups", { groupsStale: 20 }, undefined, /maxStaleness/],
  ["clipping", { "update.clipFractionHigh": 0.2, "update.clipFractionLow": 0.2 }, undefined, /learning rate/],
  ["groups that teach nothing", { "update.zeroVarianceFraction": 0.8 }, undefined, /zeroVarianceRefills/],
  ["replies that are cut", { "update.truncatedFraction": 0.5 }, undefined, /truncated at their token limit/],
] as const)("%s are named, with what to change", (_title, planted, part, advice) => {
  const time = stepTime({ ...healthy, ...planted });
  if (part) expect(time.bottleneck?.name).toBe(part);
  expect(time.advice.join("\n")).toMatch(advice);
});

it("parts sum up to the step, and a step without numbers has no bottleneck", () => {
  const { parts, totalSeconds } = stepTime(healthy);
  expect(totalSeconds).toBeCloseTo(6.5);
  expect(parts.find(({ name }) => name === "update")?.seconds).toBeCloseTo(3);
  expect(stepTime({})).toMatchObject({ totalSeconds: 0, bottleneck: undefined, advice: [] });
  expect(stepTime({ rolloutSeconds: 5 }).bottleneck?.name).toBe("rollout");
});

it("advises nothing where nothing is planted but what takes longest", () => {
  expect(
    stepTime({
      ...healthy,
      learnerWaitSeconds: 0.1,
      rolloutSeconds: 3,
      updateSeconds: 0.4,
      checkpointSeconds: 0.3,
      publishSeconds: 0.3,
    }).advice.length,
  ).toBeLessThanOrEqual(2);
});
