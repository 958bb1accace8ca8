import type { RunCounts } from "@palimpsest/trajectories";
import { expect, it } from "vitest";
import type { StepResult } from "../records/step-result.js";
import { stepReport } from "./step-report.js";

const observed = {
  steps: 3,
  counts: { groups: { dispatched: 4, trained: 3, failed: 0 } } as RunCounts,
  groupsStale: 0,
  rollout: { seconds: 1, tokensPerSecond: 2 },
};

it("counts neither checkpoint nor publication as seconds of the update", () => {
  const seconds = { updateSeconds: 1.5, checkpointSeconds: 90, publishSeconds: 7 };
  const result = { step: 1, update: { rewardComponents: {}, counters: {}, agentCounters: {} }, ...seconds };
  expect(stepReport({ ...result, episodeFailures: [] } as unknown as StepResult, observed)).toMatchObject(
    seconds,
  );
});

it("says why episodes of the step failed, and nothing where none did", () => {
  const result = { step: 1, update: { rewardComponents: {}, counters: {}, agentCounters: {} } };
  const reportOf = (episodeFailures: readonly string[]) =>
    stepReport({ ...result, episodeFailures } as unknown as StepResult, observed);
  expect(reportOf(["no answer within 512 tokens"]).episodeFailures).toEqual(["no answer within 512 tokens"]);
  expect(reportOf([])).not.toHaveProperty("episodeFailures");
});
