import { loadBackend } from "@palimpsest/jit";
import { describe, expect, it } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { KlConfig } from "../config/loss-config.js";
import { createLearner, type LearnerOptions } from "../learner/create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "../learner/learner.fixture.js";
import type { Learner } from "../learner/learner.js";
import { nextKlCoefficient } from "./kl-reward.js";

const backend = await loadBackend();
async function withLearner<T>(
  config: Partial<LearnerConfigInput>,
  use: (learner: Learner) => Promise<T>,
  options: Partial<LearnerOptions> = {},
): Promise<T> {
  const learner = createLearner({
    backend,
    config: tinyConfig(config),
    model: tinyModel,
    parameters: tinyParameters(),
    referenceParameters: tinyParameters(2),
    objectives: ["policy"],
    ...options,
  });
  try {
    return await use(learner);
  } finally {
    learner.close();
  }
}

describe("KL in the reward", () => {
  it("takes β times the trajectory's KL off its reward before it is compared", async () => {
    const groups = randomGroups(5);
    const run = (kl: Partial<LearnerConfigInput>["kl"], advantage: LearnerConfigInput["advantage"]) =>
      withLearner({ kl, advantage }, async (learner) => await learner.update(groups));
    const drgrpo = { kind: "drgrpo" } as const;
    const plain = await run({ coefficient: 0 }, drgrpo);
    const taken = await run({ coefficient: 0.5, in: "reward", estimator: "k1" }, drgrpo);
    // k1 summed over trajectories is its mean a token times the tokens.
    const wanted = (0.5 * plain.klK1 * plain.tokens) / plain.trajectories;
    expect(Math.abs(taken.rewardPenaltyMean / wanted - 1)).toBeLessThan(1e-5);
    expect(taken.rewardMean).toBe(plain.rewardMean);
    expect(taken.advantageStd).not.toBeCloseTo(plain.advantageStd, 3);
    // Its gradient is a policy gradient of another reward, not the KL's own.
    expect(Math.abs(taken.gradientNorm / plain.gradientNorm - 1)).toBeGreaterThan(1e-3);
  });

  it("is the same whatever the mini-batches: every row is scored before the first step", async () => {
    const groups = randomGroups(5);
    const penalty = (miniBatches: number) =>
      withLearner({ kl: { coefficient: 0.5, in: "reward" }, miniBatches }, async (learner) => {
        return (await learner.update(groups)).rewardPenaltyMean;
      });
    expect(await penalty(3)).toBe(await penalty(1));
  });
});

describe("an adaptive coefficient", () => {
  const kl = KlConfig.parse({ coefficient: 0.1, adaptive: { target: 0.05, horizon: 100 } });

  it("rises above the target, falls below it, by at most a fifth of trajectories over horizon", () => {
    expect(nextKlCoefficient(0.1, kl, 0.5, 10)).toBeCloseTo(0.1 * (1 + 0.2 * 0.1), 12);
    expect(nextKlCoefficient(0.1, kl, 0.055, 10)).toBeCloseTo(0.1 * (1 + 0.1 * 0.1), 12);
    expect(nextKlCoefficient(0.1, kl, 0, 10)).toBeCloseTo(0.1 * (1 - 0.2 * 0.1), 12);
    expect(nextKlCoefficient(0.1, KlConfig.parse({ coefficient: 0.1 }), 9, 10)).toBe(0.1);
  });

  it("moves after every update, is reported, weighs the loss, and goes on from a checkpoint", async () => {
    const adaptive = { coefficient: 0.1, adaptive: { target: 1e-3, horizon: 24 } };
    const trained = await withLearner({ kl: adaptive }, async (learner) => {
      const used: number[] = [];
      for (let step = 0; step < 3; step++)
        used.push((await learner.update(randomGroups(step))).klCoefficient);
      const checkpoint = learner.checkpoint({ consumedGroupIds: [], dataCursor: null });
      const next = await learner.update(randomGroups(3));
      return { used, checkpoint, next, hash: learner.weightsHash() };
    });
    expect(trained.used).toEqual([0.1, 0.1 * 1.1, 0.1 * 1.1 * 1.1].map((x) => expect.closeTo(x, 12)));
    const resumed = await withLearner(
      { kl: adaptive },
      async (learner) => ({ metrics: await learner.update(randomGroups(3)), hash: learner.weightsHash() }),
      { checkpoint: trained.checkpoint },
    );
    expect(resumed.metrics.klCoefficient).toBe(trained.next.klCoefficient);
    expect(resumed.hash).toBe(trained.hash);
    const constant = await withLearner({ kl: { coefficient: 0.1 } }, async (learner) => {
      for (let step = 0; step < 4; step++) await learner.update(randomGroups(step));
      return learner.weightsHash();
    });
    expect(constant).not.toBe(trained.hash);
  });
});

describe("a reference that is refreshed", () => {
  it("is the present weights after every N versions", async () => {
    const distances = await withLearner({ referenceRefreshUpdates: 2 }, async (learner) => {
      const found: number[] = [];
      for (let step = 0; step < 5; step++) found.push((await learner.update(randomGroups(step))).klK3);
      return found;
    });
    const [start, after1, refreshed, away, again] = distances.map((distance) => distance > 1e-9);
    expect([start, after1, refreshed, away, again]).toEqual([true, true, false, true, false]);
  });
});

describe("an entropy bonus", () => {
  it("keeps the policy more open than none", async () => {
    const after = (entropyCoefficient: number) =>
      withLearner({ entropyCoefficient }, async (learner) => {
        let entropy = 0;
        for (let step = 0; step < 15; step++) entropy = (await learner.update(randomGroups(1))).entropy;
        return entropy;
      });
    const none = await after(0);
    expect(await after(0.5)).toBeGreaterThan(none + 0.05);
  });
});
