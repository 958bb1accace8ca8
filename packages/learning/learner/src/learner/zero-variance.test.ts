import { loadBackend } from "@palimpsest/jit";
import type { Group } from "@palimpsest/trajectories";
import { expect, it } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createLearner } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";

const flat = (group: Group): Group => ({
  ...group,
  members: group.members.map((member) => ({ ...member, score: { ...member.score, reward: 1 } })),
});

/** Hash of the weights and metrics after an update that moves by KL too. */
async function updated(zeroVariance: LearnerConfigInput["zeroVariance"], groups: readonly Group[]) {
  const learner = createLearner({
    backend: await loadBackend(),
    config: tinyConfig({
      zeroVariance,
      miniBatches: 2,
      kl: { coefficient: 0.1, estimator: "k3" },
      seed: 3,
    }),
    model: tinyModel,
    parameters: tinyParameters(),
    referenceParameters: tinyParameters(2),
    objectives: ["policy"],
  });
  try {
    const metrics = await learner.update(groups);
    return { hash: learner.weightsHash(), metrics };
  } finally {
    learner.close();
  }
}

const [first, second, third] = randomGroups(4) as [Group, Group, Group];

it("skip: groups of equal rewards are counted and not computed", async () => {
  const skipped = await updated("skip", [first, flat(second), third]);
  const without = await updated("train", [first, third]);
  expect(skipped.hash).toBe(without.hash);
  expect(skipped.metrics).toMatchObject({
    ...{ groups: 3, trajectories: 12, zeroVarianceFraction: 1 / 3 },
    rows: without.metrics.rows,
    microBatches: without.metrics.microBatches,
  });
  const trained = await updated("train", [first, flat(second), third]);
  expect(trained.hash).not.toBe(skipped.hash);
  expect(trained.metrics.rows).toBeGreaterThan(skipped.metrics.rows);
});

it("skip: where no group has an advantage all are computed, as KL and entropy may still teach", async () => {
  const groups = [first, second, third].map(flat);
  const skipped = await updated("skip", groups);
  expect(skipped.hash).toBe((await updated("train", groups)).hash);
  expect(skipped.metrics.optimizerSteps).toBe(2);
});
