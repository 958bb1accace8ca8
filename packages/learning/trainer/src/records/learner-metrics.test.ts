import { expect, test } from "vitest";
import { scalarsOf, storeScalars } from "./learner-metrics.js";
import type { StepResult } from "./step-result.js";

const of = (mean: number) => ({ mean, std: 0 });

test("agents with a store are logged under the names of the original's log", () => {
  const agentCounters = {
    num_turns: of(2.5),
    initial_memory_count: of(5),
    final_memory_count: of(5.25),
    "tool_call_counts.search_memory": of(1),
    malformed_calls: of(0.125),
  };
  expect(storeScalars({ rewardMean: 0.5, agentCounters })).toEqual({
    "memory_reward/mean": 0.5,
    "num_turns/mean": 2.5,
    initial_memory_count: 5,
    final_memory_count: 5.25,
    "tool_call_counts/search_memory": 1,
    "counters/malformed_calls": 0.125,
  });
});

test("agents without one add nothing", () => {
  expect(storeScalars({ rewardMean: 0.5, agentCounters: { recalls: of(1) } })).toEqual({});
});

test("rewards by category are reward/NAME, and told from a component of that name", () => {
  const update = { rewardMean: 0.5, rewardComponents: { near: of(0.25) }, agentCounters: {} };
  const result = { update, rewardByCategory: { near: 0.75, far: 0.5 } } as unknown as StepResult;
  expect(scalarsOf(result)).toEqual({
    "update/rewardMean": 0.5,
    "reward/near": 0.25,
    "reward/category/near": 0.75,
    "reward/far": 0.5,
  });
});
