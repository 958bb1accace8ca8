/** A step of one micro-batch in one launch, held against the same step in parts. */
import { loadBackend } from "@palimpsest/jit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createLearner } from "../learner/create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "../learner/learner.fixture.js";
import type { Learner } from "../learner/learner.js";
import { estimateDevice } from "../memory/device-estimate.js";

const backend = await loadBackend({ prefer: "tensorflow" });

/** One micro-batch holds the eight rows of a group. */
const oneBatch = { buckets: [{ rows: 8, length: 12 }] };

function aLearner(changes: Partial<LearnerConfigInput>, mode: "graph" | "xla" = "xla"): Learner {
  const learner = createLearner({
    backend,
    // Adam divides by the gradient's own size, which would make much of a last bit where a gradient is nearly 0.
    config: tinyConfig({ ...oneBatch, optimizer: { epsilon: 1e-3 }, ...changes }),
    model: tinyModel,
    parameters: tinyParameters(),
    mode,
  });
  onTestFinished(() => learner.close());
  return learner;
}

const aGroup = (seed: number) => randomGroups(seed, 1, 4);
const callsOf = ({ stats }: Learner) =>
  Object.entries(stats).flatMap(([name, { calls }]) => (calls > 0 ? [[name, calls]] : []));

function expectClose(
  left: Readonly<Record<string, Float32Array>>,
  right: Readonly<Record<string, Float32Array>>,
) {
  for (const [name, values] of Object.entries(left))
    values.forEach((value, i) => {
      expect(Math.abs(value - (right[name]?.[i] ?? Number.NaN)), name).toBeLessThan(1e-5);
    });
}

describe("a step of one micro-batch", () => {
  it.each([
    [
      "all weights",
      // The second group was sampled by older weights: its difference is compared with no limit.
      { optimizer: { epsilon: 1e-3, weightDecay: 0.1, maxGradNorm: 0.1 }, maxLogprobDifference: 5 },
    ],
    ["adapters", { lora: { rank: 2, alpha: 4 } }],
  ] as const)("is one launch in mode xla and trains what parts train: %s", async (_, changes) => {
    const [parts, atOnce] = [aLearner(changes, "graph"), aLearner(changes)];
    for (const seed of [0, 1]) {
      const [expected, got] = [await parts.update(aGroup(seed)), await atOnce.update(aGroup(seed))];
      expect(got.optimizerSteps).toBe(1);
      expect(got.loss).toBeCloseTo(expected.loss, 5);
      expect(got.gradientNorm).toBeCloseTo(expected.gradientNorm, 5);
      expect(got.klK3).toBeCloseTo(expected.klK3, 6);
    }
    expectClose(atOnce.parameters(), parts.parameters());
    expect(callsOf(atOnce)).toEqual([["step-policy-8x12", 2]]);
    if ("lora" in changes) return;
    const rows = [{ tokenIds: [1, 2, 3, 4], lossMask: [0, 0, 1, 1] }];
    expect((await atOnce.sft(rows)).loss).toBeCloseTo((await parts.sft(rows)).loss, 5);
    expectClose(atOnce.parameters(), parts.parameters());
    expect(callsOf(atOnce)).toContainEqual(["step-supervised-8x12", 1]);
    // Twenty-four rows are three micro-batches, whose sums begin at zero.
    await parts.update(randomGroups(2));
    await atOnce.update(randomGroups(2));
    expectClose(atOnce.parameters(), parts.parameters());
  });

  it("is left out above a gate's norm, and says so (AT-ONCE-1)", async () => {
    const learner = aLearner({ gradientGate: { norm: 1e-4, action: "skip" } });
    const before = learner.weightsHash();
    expect(await learner.update(aGroup(0))).toMatchObject({ optimizerSteps: 0, stepsSkippedByGradient: 1 });
    expect(learner.weightsHash()).toBe(before);
  });

  it("is not applied where sampler and trainer part, on tokens that these weights sampled", async () => {
    const learner = aLearner({ maxLogprobDifference: 0.05 });
    const before = learner.weightsHash();
    await expect(learner.update(aGroup(0))).rejects.toMatchObject({ code: "LOGPROB_MISMATCH" });
    expect(learner.weightsHash()).toBe(before);
    expect(callsOf(learner)).toEqual([["step-policy-8x12", 1]]);
  });

  it("is not applied where it is not finite (AT-ONCE-1)", async () => {
    const learner = aLearner({ schedule: { learningRate: 1e38 } });
    // Weights so large that the next step's loss is no number.
    await learner.update(aGroup(0));
    const before = learner.weightsHash();
    await expect(learner.update(aGroup(1))).rejects.toMatchObject({ code: "NOT_FINITE" });
    expect(learner.weightsHash()).toBe(before);
  });
});

describe("without sums of micro-batches", () => {
  const without = { memory: { accumulators: "none" as const } };

  it("a step of several micro-batches is refused, and the learner goes on", async () => {
    const learner = aLearner(without);
    await expect(learner.update(randomGroups(0))).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/3 micro-batches, but memory\.accumulators is "none"/),
    });
    expect((await learner.update(aGroup(0))).optimizerSteps).toBe(1);
  });

  it("what looks at a step before it is applied is refused", () => {
    expect(() => aLearner({ ...without, firstStepChecks: true })).toThrow(
      /accumulators is "none", but firstStepChecks/,
    );
    expect(() => aLearner({ ...without, maxPolicyKl: 0.1, epochs: 2 })).toThrow(
      /"none", but maxPolicyKl 0.1/,
    );
  });

  it("three billion weights are estimated to fit on 80 GB", () => {
    const model = { ...tinyModel, hiddenSize: 2048, layers: 36, heads: 16, kvHeads: 2, headDim: 128 };
    const large = { ...model, intermediateSize: 11_008, vocabSize: 151_936, tieWordEmbeddings: true };
    const config = {
      preset: "memagent" as const,
      precision: "bfloat16" as const,
      kl: { coefficient: 0 },
      reference: "none" as const,
      buckets: [{ rows: 4, length: 2048 }],
    };
    const bytes = (accumulators: "auto" | "none") =>
      estimateDevice(large, { ...config, memory: { keep: "nothing", accumulators } }, 80 * 2 ** 30)
        .totalBytes;
    expect(bytes("auto") / 2 ** 30).toBeGreaterThan(75);
    expect(bytes("none") / 2 ** 30).toBeLessThan(70);
  });

  it("has everything compiled before the first update by `prepare`, which changes no bit (PREPARE-1)", async () => {
    const bits = (learner: Learner) => {
      const { tensors } = learner.checkpoint({ consumedGroupIds: [], dataCursor: {} });
      return Object.fromEntries(Object.entries(tensors).map(([name, values]) => [name, [...values]]));
    };
    const [prepared, interrupted, plain] = [aLearner({}), aLearner({}), aLearner({})];
    await prepared.prepare();
    const functions = Object.keys(prepared.stats).filter((name) => !/score|supervised/.test(name));
    expect(callsOf(prepared).map(([name]) => name)).toEqual(functions);
    expect(bits(prepared)).toEqual(bits(plain));
    // Another call is not refused meanwhile: it ends the preparation.
    const preparing = interrupted.prepare();
    await interrupted.update(aGroup(0));
    await preparing;
    expect(callsOf(interrupted)).toEqual([["step-policy-8x12", 1]]);
    // One micro-batch, then three, whose sums begin at zero; then once more, with moments.
    for (const groups of [aGroup(0), randomGroups(2)]) {
      await prepared.update(groups);
      await plain.update(groups);
      await prepared.prepare();
      expect(bits(prepared)).toEqual(bits(plain));
      if (plain.policyVersion === 1) expect(bits(interrupted)).toEqual(bits(plain));
    }
  });
});
