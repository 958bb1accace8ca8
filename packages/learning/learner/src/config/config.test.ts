import { describe, expect, it } from "vitest";
import { LearnerConfig, resolveLearnerConfig } from "./config.js";

const buckets = [{ rows: 4, length: 32 }];

describe("resolveLearnerConfig", () => {
  it("fills what is left out from the preset and lets a given part replace it whole", () => {
    const config = resolveLearnerConfig({ buckets, preset: "verl", kl: { coefficient: 0.01 } });
    expect(config.loss).toMatchObject({ kind: "clip", dualClip: 3, clampLogRatio: 20 });
    expect(config.advantage).toMatchObject({ kind: "grpo", ddof: 1, singleton: "reward" });
    expect(config.kl).toEqual({
      coefficient: 0.01,
      in: "loss",
      adaptive: null,
      estimator: "k3",
      clampLogRatio: 20,
      clampValue: 10,
    });
    expect(config).toMatchObject({ oldLogprobs: "recompute", spread: "copy", stepAdvantage: null });
    expect(config.optimizer.beta2).toBe(0.95);
  });

  it("bounds the trained tokens of a budget's shapes, where they are not all positions anyway", () => {
    const shapes = (microBatch: object) => resolveLearnerConfig({ microBatch: microBatch as never }).buckets;
    expect(shapes({ tokens: 64, lengths: [16, 64], trainedTokens: 24 })).toEqual([
      { rows: 4, length: 16, trainedTokens: 24 },
      { rows: 1, length: 16 },
      { rows: 1, length: 64, trainedTokens: 24 },
    ]);
    expect(shapes({ tokens: 64, lengths: [32], packed: true, trainedTokens: 24 })).toEqual([
      { rows: 2, length: 32, packedRows: 16, trainedTokens: 24 },
    ]);
  });

  it.each([
    ["a group size of one", { groupSize: 1 }, /groupSize/],
    ["an unknown key", { lerningRate: 1 }, /lerningRate/],
    [
      "a KL coefficient without a reference",
      { reference: "none", preset: "memagent" },
      /set reference to "initial"/,
    ],
    ["a norm aggregation without its norm", { aggregation: "batch-token-norm" }, /needs normTokens/],
    ["a sequence ratio with a token mean", { loss: { kind: "gspo" } }, /seq-mean-token-mean/],
    [
      "an importance correction to the sampler's own numbers",
      { importance: { kind: "icepop" }, oldLogprobs: "rollout" },
      /set oldLogprobs to "recompute"/,
    ],
    [
      "an adaptive coefficient that starts at 0",
      { kl: { adaptive: { target: 0.1 } } },
      /kl.coefficient is 0, which kl.adaptive cannot change/,
    ],
    [
      "a reference refreshed that is not there",
      { reference: "none", kl: {}, referenceRefreshUpdates: 2 },
      /referenceRefreshUpdates is 2/,
    ],
    ["no buckets", { buckets: [] }, /buckets/],
    [
      "more trained tokens than positions",
      { buckets: [{ rows: 2, length: 8, trainedTokens: 17 }] },
      /buckets\[0\]\.trainedTokens: must not exceed rows times length/,
    ],
    [
      "a warm-up beyond the schedule's end",
      { schedule: { kind: "linear", warmupSteps: 9, totalSteps: 8 } },
      /schedule\.warmupSteps: must not exceed totalSteps/,
    ],
  ])("refuses %s and names the fix", (_, extra, pattern) => {
    const input = { buckets, ...extra } as Parameters<typeof resolveLearnerConfig>[0];
    expect(() => resolveLearnerConfig(input)).toThrow(pattern);
    expect(() => resolveLearnerConfig(input)).toThrow(/CONFIG_INVALID/);
  });

  it("describes every field", () => {
    for (const [name, field] of Object.entries(LearnerConfig.shape))
      expect(field.description, `${name} has no description`).toBeTruthy();
  });
});
