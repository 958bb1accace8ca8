import { setImmediate } from "node:timers/promises";
import { loadBackend, tf } from "@palimpsest/jit";
import { hashWeights } from "@palimpsest/model";
import type { Conversation } from "@palimpsest/trajectories";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createLearner, type LearnerOptions } from "./create-learner.js";
import { aConversation, aGroup } from "./groups.fixture.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import type { Learner } from "./learner.js";

const backend = await loadBackend();

function aLearner(config = tinyConfig(), overrides: Partial<LearnerOptions> = {}): Learner {
  const learner = createLearner({
    backend,
    config,
    model: tinyModel,
    parameters: tinyParameters(),
    objectives: ["policy"],
    ...overrides,
  });
  onTestFinished(() => learner.close());
  return learner;
}

function largestDifference(
  a: Readonly<Record<string, Float32Array>>,
  b: Readonly<Record<string, Float32Array>>,
): number {
  let largest = 0;
  for (const [name, values] of Object.entries(a)) {
    values.forEach((value, index) => {
      largest = Math.max(largest, Math.abs(value - (b[name]?.[index] ?? Number.NaN)));
    });
  }
  return largest;
}

describe("createLearner", () => {
  it("changes the weights, raises the version and reports what it did", async () => {
    const learner = aLearner();
    const before = learner.weightsHash();
    const metrics = await learner.update(randomGroups(1));
    expect(learner.weightsHash()).not.toBe(before);
    expect(metrics).toMatchObject({ policyVersion: 1, step: 1, groups: 3, trajectories: 12, rows: 24 });
    expect(metrics.gradientNorm).toBeGreaterThan(0);
    expect(metrics.entropy).toBeGreaterThan(0);
    expect(metrics.klK3).toBeLessThan(1e-9);
    expect(metrics.tokens).toBeGreaterThan(24);
    expect(metrics.rewardComponents["exactMatch"]?.mean).toBeCloseTo(metrics.rewardMean, 12);
    for (const value of Object.values(metrics))
      if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
  });

  it("gives the same step however the rows are cut into micro-batches", async () => {
    const cuts = [
      [{ rows: 24, length: 12 }],
      [{ rows: 1, length: 12 }],
      [
        { rows: 3, length: 6 },
        { rows: 5, length: 12 },
      ],
    ];
    const results = [];
    for (const buckets of cuts) {
      const config = tinyConfig({ buckets, preset: "memagent", optimizer: { epsilon: 1 } });
      const learner = aLearner(config);
      const metrics = await learner.update(randomGroups(2));
      results.push({ metrics, parameters: learner.parameters() });
    }
    const [whole, ...rest] = results;
    if (whole === undefined) throw new Error("no result");
    for (const part of rest) {
      expect(part.metrics.microBatches).not.toBe(whole.metrics.microBatches);
      expect(Math.abs(part.metrics.loss - whole.metrics.loss)).toBeLessThan(1e-5);
      expect(Math.abs(part.metrics.gradientNorm - whole.metrics.gradientNorm)).toBeLessThan(1e-5);
      expect(largestDifference(part.parameters, whole.parameters)).toBeLessThan(1e-5);
    }
  });

  it("gives the same bytes whatever the order of groups and members (LEARNER-3)", async () => {
    const groups = randomGroups(3);
    const turned = [...groups]
      .reverse()
      .map((group) => ({ ...group, members: [...group.members].reverse() }));
    const a = aLearner(tinyConfig({ miniBatches: 2, epochs: 2 }));
    const b = aLearner(tinyConfig({ miniBatches: 2, epochs: 2 }));
    const metrics = await a.update(groups);
    await b.update(turned);
    expect(metrics.optimizerSteps).toBe(4);
    expect(b.weightsHash()).toBe(a.weightsHash());
  });

  it("leaves the weights' hash alone over many steps at learning rate 0", async () => {
    const learner = aLearner(tinyConfig({ schedule: { learningRate: 0 }, optimizer: { weightDecay: 0.1 } }));
    const before = hashWeights(tinyParameters());
    for (let step = 0; step < 50; step++) await learner.update(randomGroups(step));
    expect(learner.weightsHash()).toBe(before);
  });

  it("gives the same numbers eager and compiled", async () => {
    const eager = aLearner(tinyConfig(), { mode: "eager" });
    const compiled = aLearner();
    for (let step = 0; step < 3; step++) {
      const a = await eager.update(randomGroups(step));
      const b = await compiled.update(randomGroups(step));
      expect(Math.abs(a.loss - b.loss)).toBeLessThan(1e-5);
    }
    expect(largestDifference(eager.parameters(), compiled.parameters())).toBeLessThan(1e-4);
  });

  it.each([
    ["eager", 60],
    ["auto", 300],
  ] as const)("holds no more tensors after many updates than after one (%s, %i)", async (mode, updates) => {
    const learner = aLearner(tinyConfig({ buckets: [{ rows: 4, length: 12 }] }), { mode });
    const groups = randomGroups(1, 1, 2);
    await learner.update(groups);
    const before = tf.memory().numTensors;
    for (let step = 0; step < updates; step++) await learner.update(groups);
    expect(tf.memory().numTensors).toBe(before);
  });

  it("stops at a loss that is not finite and keeps weights and usability (LEARNER-2, OPTSTEP-1, OPTSTEP-2)", async () => {
    const before = hashWeights(tinyParameters());
    const groups = randomGroups(4);
    const broken = groups.map((group) => ({
      ...group,
      members: group.members.map((member, index) => ({
        ...member,
        score: { ...member.score, reward: index === 0 ? 1e300 : 0 },
      })),
    }));
    const config = tinyConfig({ advantage: { kind: "drgrpo" } });
    const exploding = aLearner(config);
    await expect(exploding.update(broken)).rejects.toMatchObject({ code: "NOT_FINITE" });
    expect(exploding.weightsHash()).toBe(before);
    expect(exploding.policyVersion).toBe(0);
    await exploding.update(groups);
    const plain = aLearner(config);
    await plain.update(groups);
    expect(exploding.weightsHash()).toBe(plain.weightsHash());
  });

  it("can be aborted between micro-batches and goes on as if nothing had been (LEARNER-2, OPTSTEP-3)", async () => {
    const learner = aLearner();
    const twin = aLearner();
    const controller = new AbortController();
    const running = learner.update(randomGroups(5), { signal: controller.signal });
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "ABORTED" });
    await learner.update(randomGroups(5));
    await twin.update(randomGroups(5));
    expect(learner.weightsHash()).toBe(twin.weightsHash());
  });

  it("refuses a second call while one runs, and every call after close (LEARNER-1)", async () => {
    const learner = aLearner();
    const running = learner.update(randomGroups(6));
    await expect(learner.update(randomGroups(6))).rejects.toMatchObject({ code: "BUSY" });
    expect(() => learner.parameters()).toThrow(/BUSY/);
    await running;
    learner.close();
    learner.close();
    await expect(learner.update(randomGroups(6))).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("stops before the first step when the sampler's log-probabilities are another model's", async () => {
    const gated = aLearner(tinyConfig({ maxLogprobDifference: 0.01 }));
    await expect(gated.update(randomGroups(7))).rejects.toMatchObject({ code: "LOGPROB_MISMATCH" });
    const checked = aLearner(tinyConfig({ firstStepChecks: true }));
    await expect(checked.update(randomGroups(7))).rejects.toMatchObject({ code: "FIRST_STEP_CHECK" });
    expect(checked.weightsHash()).toBe(hashWeights(tinyParameters()));
  });

  it("raises the version when an update stops after a step was applied (LEARNER-2)", async () => {
    const learner = aLearner(tinyConfig({ miniBatches: 2 }));
    const controller = new AbortController();
    const running = learner.update(randomGroups(5), { signal: controller.signal });
    const outcome = running.catch((error: unknown) => error);
    while (learner.step === 0) await setImmediate();
    controller.abort();
    expect(await outcome).toMatchObject({
      code: "ABORTED",
      details: { appliedSteps: 1, policyVersion: 1 },
    });
    expect(learner.policyVersion).toBe(1);
  });

  it.each<Partial<LearnerConfigInput>>([
    { loss: { kind: "gspo" }, aggregation: "seq-mean-token-mean", kl: { coefficient: 0.1, estimator: "k1" } },
    { loss: { kind: "cispo" }, aggregation: "trajectory-mean", kl: { coefficient: 0.1, estimator: "k2" } },
    { loss: { kind: "dppo" }, aggregation: "seq-mean-token-sum", kl: { coefficient: 0.1, estimator: "abs" } },
    { importance: { kind: "tis-sequence", length: "mean" }, entropyCoefficient: 0.1, miniBatches: 2 },
    { importance: { kind: "icepop" }, kl: { coefficient: 0.1, in: "reward" } },
  ])(
    "compiles every loss, KL estimator and correction to what eager gives ($loss.kind, $kl.estimator, $importance.kind)",
    async (parts) => {
      const other = tinyParameters(2);
      const results = [];
      for (const mode of ["eager", "auto"] as const) {
        const learner = aLearner(tinyConfig(parts), { mode, referenceParameters: other });
        results.push(await learner.update(randomGroups(8)));
      }
      const [eager, compiled] = results;
      expect(eager?.klK3).toBeGreaterThan(0.001);
      expect(Math.abs((eager?.loss ?? 0) / (compiled?.loss ?? Number.NaN) - 1)).toBeLessThan(1e-5);
      expect(Math.abs((eager?.gradientNorm ?? 0) / (compiled?.gradientNorm ?? Number.NaN) - 1)).toBeLessThan(
        1e-5,
      );
    },
  );

  it("measures KL from the refreshed reference", async () => {
    const learner = aLearner(tinyConfig({ kl: { coefficient: 0.01 }, referenceRefreshUpdates: 1 }), {
      referenceParameters: tinyParameters(2),
    });
    expect((await learner.update(randomGroups(9))).klK3).toBeGreaterThan(0.001);
    expect((await learner.update(randomGroups(9))).klK3).toBeLessThan(1e-9);
  });

  it("tells groups that teach by their advantages: lengths and steps may tell equal rewards apart", () => {
    const [short, long] = [[5], [5, 6, 7, 8]].map((sampledTokenIds) => aConversation({ sampledTokenIds }));
    const equal = aGroup("a", [1, 1]);
    const members = equal.members.map((member, at) => ({
      ...member,
      trajectory: { ...member.trajectory, conversations: [at === 0 ? short : long] as Conversation[] },
    }));
    const unequal = { ...equal, members };
    const penalty = { kind: "penalty", of: "final", maxTokens: 4, bufferTokens: 3, factor: 1 } as const;
    expect(aLearner(tinyConfig()).teaches(unequal)).toBe(false);
    const penalizing = aLearner(tinyConfig({ overlong: penalty }));
    expect(penalizing.teaches(unequal)).toBe(true);
    expect(penalizing.teaches(equal)).toBe(false);
    const ofSteps = aLearner(tinyConfig({ stepAdvantage: { outcomeWeight: 0.8 } }));
    const withSteps = (values: readonly number[]) => ({
      ...equal,
      members: equal.members.map((member, at) => ({
        ...member,
        score: { ...member.score, stepRewards: [values[at] as number] },
      })),
    });
    expect(ofSteps.teaches(withSteps([0, 1]))).toBe(true);
    expect(ofSteps.teaches(withSteps([1, 1]))).toBe(false);
  });

  it("reports staleness, components and groups that teach nothing", async () => {
    const learner = aLearner(tinyConfig(), { policyVersion: 5 });
    const stale = [aConversation({ policyVersion: 3 })];
    const groups = [aGroup("a", [1, 0], stale), aGroup("b", [1, 1], [aConversation({ policyVersion: 5 })])];
    const metrics = await learner.update(groups);
    expect(metrics).toMatchObject({
      stalenessMax: 2,
      stalenessMean: 1,
      zeroVarianceFraction: 0.5,
      policyVersion: 6,
    });
    expect(metrics.freshTokens).toBe(4);
    expect(metrics.rewardComponents).toEqual({ exactMatch: { mean: 0.75, std: Math.sqrt(0.1875) } });
    expect(groups.map((group) => learner.teaches(group))).toEqual([true, false]);
    const silent = [aConversation({ sampledTokenIds: [], stopReason: "abort" })];
    expect(learner.teaches(aGroup("c", [1, 0], silent))).toBe(false);
    await expect(learner.update([aGroup("c", [1, 0], silent)])).rejects.toMatchObject({
      code: "BATCH_EMPTY",
    });
  });
});
