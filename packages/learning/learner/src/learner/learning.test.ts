import { loadBackend } from "@palimpsest/jit";
import { describe, expect, it } from "vitest";
import { createRandom } from "../config/random.js";
import {
  aBandit,
  actionLogprobs,
  expectedReward,
  MAYBE,
  NO,
  PROMPT,
  sampledGroups,
} from "./bandit.fixture.js";
import { createLearner } from "./create-learner.js";
import { tinyModel, tinyParameters } from "./learner.fixture.js";
import { warmStart } from "./warm-start.js";

const backend = await loadBackend();

describe("a policy of one choice", () => {
  it.each([1, 2, 3, 4, 5])("learns to answer with what pays best (seed %i)", async (seed) => {
    const learner = aBandit(backend, {});
    const random = createRandom(seed);
    const before = expectedReward(learner);
    for (let update = 0; update < 60; update++) await learner.update(sampledGroups(learner, random, 8, 8));
    expect(before).toBeLessThan(0.4);
    expect(expectedReward(learner)).toBeGreaterThanOrEqual(0.95);
    learner.close();
  });

  it.each([1, 2, 3])("learns the same with products in bfloat16 (seed %i)", async (seed) => {
    // The learner's numbers for the policy that sampled are off by the rounding, which is no change of the policy.
    const rounded = {
      precision: "bfloat16",
      oldLogprobs: "recompute",
      maxLogprobDifference: 2e-2,
      firstStepChecks: false,
    } as const;
    const learner = aBandit(backend, rounded);
    expect(learner.config.precision).toBe("bfloat16");
    const random = createRandom(seed);
    for (let update = 0; update < 60; update++) await learner.update(sampledGroups(learner, random, 8, 8));
    expect(expectedReward(learner)).toBeGreaterThanOrEqual(0.95);
    learner.close();
  });

  it("does not gain when rewards are dealt to the wrong episodes", async () => {
    const learner = aBandit(backend, {});
    const random = createRandom(4);
    const before = expectedReward(learner);
    for (let update = 0; update < 20; update++)
      await learner.update(sampledGroups(learner, random, 8, 8), { shuffleRewards: true });
    expect(expectedReward(learner) - before).toBeLessThan(0.3);
    learner.close();
  });

  it("stays at the reference under a large KL coefficient and leaves it without", async () => {
    const drift = async (coefficient: number) => {
      const learner = aBandit(backend, { kl: { coefficient }, schedule: { learningRate: 3e-3 } });
      const random = createRandom(5);
      let last = 0;
      for (let update = 0; update < 40; update++)
        last = (await learner.update(sampledGroups(learner, random, 8, 8))).klK3;
      learner.close();
      return last;
    };
    expect(await drift(0)).toBeGreaterThan(0.3);
    expect(await drift(100)).toBeLessThan(0.01);
  });
});

describe("warmStart", () => {
  it("teaches demonstrations and leaves masked tokens alone", async () => {
    const learner = createLearner({
      backend,
      model: tinyModel,
      parameters: tinyParameters(),
      objectives: ["supervised"],
      config: { reference: "none", kl: { coefficient: 0 }, buckets: [{ rows: 4, length: 4 }] },
    });
    const rows = [
      { tokenIds: [PROMPT, MAYBE, 7], lossMask: [0, 1, 0] },
      { tokenIds: [2, NO, 8], lossMask: [0, 1, 0] },
    ];
    const losses: number[] = [];
    const last = await warmStart({
      learner,
      rows: () => rows,
      steps: 60,
      learningRate: (step) => 1e-2 * (1 - step / 120),
      onStep: (metrics) => losses.push(metrics.loss),
    });
    expect(losses[0]).toBeGreaterThan(1);
    expect(last?.loss).toBeLessThan(0.05);
    expect(last).toMatchObject({ step: 60, policyVersion: 60, tokens: 2 });
    expect(Math.exp(actionLogprobs(learner)[MAYBE] ?? Number.NaN)).toBeGreaterThan(0.9);
    learner.close();
  });

  it("refuses rows whose mask does not fit or trains the first token", async () => {
    const learner = createLearner({
      backend,
      model: tinyModel,
      parameters: tinyParameters(),
      objectives: ["supervised"],
      config: { buckets: [{ rows: 4, length: 4 }] },
    });
    const refuse = async (lossMask: number[], pattern: RegExp) =>
      await expect(learner.sft([{ tokenIds: [1, 2], lossMask }])).rejects.toThrow(pattern);
    await refuse([0], /supervised row 0: lossMask has 1 entries for 2 tokens/);
    await refuse([1, 1], /lossMask\[0\] is 1/);
    await refuse([0, 0.5], /lossMask\[1\] is 0.5/);
    await refuse([0, 0], /BATCH_EMPTY/);
    learner.close();
  });
});
