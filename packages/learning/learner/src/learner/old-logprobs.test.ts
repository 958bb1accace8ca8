import { loadBackend } from "@palimpsest/jit";
import type { Group } from "@palimpsest/trajectories";
import { expect, it } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import type { UpdateMetrics } from "../step/update-metrics.js";
import { createLearner } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";

/** The same groups as another sampler would record them: same tokens, log-probabilities off by its numerics. */
function sampledElsewhere(groups: readonly Group[], byNats: number): Group[] {
  return groups.map((group) => ({
    ...group,
    members: group.members.map(({ score, trajectory }) => ({
      score,
      trajectory: {
        ...trajectory,
        conversations: trajectory.conversations.map((conversation) => ({
          ...conversation,
          rolloutLogprobs: Array.from(conversation.rolloutLogprobs, (value) => value + byNats),
        })),
      },
    })),
  }));
}

/** Hash of the weights and metrics after each of two updates on groups that version 0 sampled. */
async function after(config: Partial<LearnerConfigInput>, groups: readonly Group[]) {
  const learner = createLearner({
    backend: await loadBackend(),
    config: tinyConfig(config),
    model: tinyModel,
    parameters: tinyParameters(),
    objectives: ["policy"],
  });
  try {
    const results: { readonly hash: string; readonly metrics: UpdateMetrics }[] = [];
    for (let update = 0; update < 2; update++) {
      const metrics = await learner.update(groups);
      results.push({ hash: learner.weightsHash(), metrics });
    }
    const [first, second] = results;
    if (first === undefined || second === undefined) throw new Error("no result");
    return { first, second };
  } finally {
    learner.close();
  }
}

it.each<Partial<LearnerConfigInput>>([
  { oldLogprobs: "recompute" },
  { oldLogprobs: "recompute", miniBatches: 3, epochs: 2 },
])(
  "recompute: the sampler's numerics do not show in an update of fresh rows, and do in one of older rows (%o, POLICYUPDATE-1, POLICYUPDATE-2)",
  async (config) => {
    const groups = randomGroups(4);
    const here = await after(config, groups);
    const elsewhere = await after(config, sampledElsewhere(groups, 0.01));
    expect(elsewhere.first.hash).toBe(here.first.hash);
    expect(elsewhere.second.hash).not.toBe(here.second.hash);
  },
);

it("recompute with an importance correction: old rows are compared with the weights before the update (POLICYUPDATE-2)", async () => {
  const config = { miniBatches: 1, importance: { kind: "tis-token", cap: 1e6 } } as const;
  const { second } = await after(config, randomGroups(4));
  expect(second.metrics.ratioMax).toBe(1);
  expect(second.metrics.importanceMean).toBeGreaterThan(0);
  expect(second.metrics.importanceMean).not.toBe(1);
});

it("rollout: the sampler's numerics show in every update", async () => {
  const groups = randomGroups(4);
  const { first } = await after({ oldLogprobs: "rollout" }, groups);
  const elsewhere = await after({ oldLogprobs: "rollout" }, sampledElsewhere(groups, 0.01));
  expect(elsewhere.first.hash).not.toBe(first.hash);
});

it("the ratio is exactly 1 on the first step and moves from there with every other (POLICYUPDATE-1)", async () => {
  const groups = randomGroups(4);
  const single = await after({}, groups);
  expect([single.first.metrics.ratioMin, single.first.metrics.ratioMax]).toEqual([1, 1]);
  expect(single.first.metrics.policyKlK3).toBe(0);
  const several = await after({ miniBatches: 3, epochs: 2 }, groups);
  expect(several.first.metrics.ratioMax).toBeGreaterThan(1.001);
  expect(several.first.metrics.policyKlK3).toBeGreaterThan(0);
});

it("learning rate 0 keeps every ratio at 1 through all epochs: the scoring pass and the training pass agree", async () => {
  const still = { miniBatches: 3, epochs: 2, schedule: { learningRate: 0 } };
  const { first } = await after(still, randomGroups(4));
  expect(Math.abs(first.metrics.ratioMax - 1)).toBeLessThan(1e-6);
  expect(Math.abs(first.metrics.ratioMin - 1)).toBeLessThan(1e-6);
});
