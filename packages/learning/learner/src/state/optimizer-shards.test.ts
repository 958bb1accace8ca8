/** State dealt out to replicas, held against one learner that has it whole (ZERO-1, ZERO-2). On a CPU replicas share it. */
import { type Backend, loadBackend } from "@palimpsest/jit";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createLearner, type LearnerOptions } from "../learner/create-learner.js";
import {
  randomGroups,
  rowsOfPrompts,
  tinyConfig,
  tinyModel,
  tinyParameters,
} from "../learner/learner.fixture.js";
import type { Learner } from "../learner/learner.js";
import { estimateDevice } from "../memory/device-estimate.js";

let backend: Backend;
beforeAll(async () => {
  backend = await loadBackend({ prefer: "tensorflow" });
});

function aLearner(
  config: Partial<LearnerConfigInput>,
  mode: "graph" | "xla",
  options: Partial<LearnerOptions> = {},
): Learner {
  const learner = createLearner({
    backend,
    config: tinyConfig({ kl: { coefficient: 0.1 }, optimizer: { epsilon: 1e-3 }, ...config }),
    model: tinyModel,
    parameters: tinyParameters(),
    objectives: ["policy"],
    mode,
    ...options,
  });
  onTestFinished(() => learner.close());
  return learner;
}

// Three, so that few entries can be dealt out evenly.
const sharded = { replicas: 3, memory: { optimizerState: "sharded" } } as const;
const nothing = { consumedGroupIds: [], dataCursor: null };

it("three replicas with a third of the moments each train what one trains, and their checkpoint is that of one", async () => {
  const one = aLearner({}, "graph");
  const three = aLearner(sharded, "xla");
  await three.prepare();
  for (const seed of [0, 1]) {
    const [expected, got] = [await one.update(randomGroups(seed)), await three.update(randomGroups(seed))];
    for (const measure of ["loss", "gradientNorm", "klK3"] as const)
      expect(got[measure], measure).toBeCloseTo(expected[measure], 5);
  }
  const [expected, got] = [one.checkpoint(nothing), three.checkpoint(nothing)];
  expect(Object.keys(got.tensors)).toEqual(Object.keys(expected.tensors));
  for (const [name, values] of Object.entries(expected.tensors)) {
    const others = got.tensors[name];
    expect(others?.length, name).toBe(values.length);
    const far = values.findIndex((value, at) => Math.abs(value - (others?.[at] ?? Number.NaN)) > 1e-5);
    expect(far, name).toBe(-1);
  }
  // It goes on with another number of replicas, and with moments whole.
  const later = aLearner({}, "graph", { checkpoint: got });
  const again = aLearner({ ...sharded, replicas: 2 }, "xla", { checkpoint: expected });
  const groups = randomGroups(2);
  const next = [await one.update(groups), await later.update(groups), await again.update(groups)];
  for (const { loss } of next) expect(loss).toBeCloseTo(next[0]?.loss ?? Number.NaN, 5);
  const weights = one.parameters();
  for (const learner of [later, again])
    for (const [name, values] of Object.entries(learner.parameters()))
      expect(
        Math.max(...values.map((value, at) => Math.abs(value - (weights[name]?.[at] ?? 1)))),
      ).toBeLessThan(1e-5);
});

/** The largest distance between two learners' numbers, relative to them. */
function apart(expected: readonly number[], got: readonly number[]): number {
  return Math.max(...expected.map((value, at) => Math.abs((got[at] ?? Number.NaN) / value - 1)));
}

it.each([
  ["float32", 1e-6],
  ["bfloat16", 1e-3],
] as const)("over 20 steps in %s two replicas have one's losses within %f", async (precision, bound) => {
  const rows = rowsOfPrompts();
  const train = async (learner: Learner) => {
    const losses: number[] = [];
    for (let step = 0; step < 20; step++) losses.push((await learner.sft(rows)).loss);
    return losses;
  };
  const config = { precision, buckets: [{ rows: 2, length: 12 }] };
  const objectives = ["supervised"] as const;
  // A CPU without bfloat16 rounds elsewhere in a graph than in what XLA compiles: there only programs of XLA are alike.
  const mode = precision === "float32" ? "graph" : "xla";
  const expected = await train(aLearner(config, mode, { objectives }));
  const got = await train(aLearner({ ...config, ...sharded, replicas: 2 }, "xla", { objectives }));
  expect(expected[19]).toBeLessThan((expected[0] ?? 0) / 2);
  expect(apart(expected, got)).toBeLessThan(bound);
});

it("a KL in the reward is measured from the reference that replicas share, also after it was replaced", async () => {
  const kl = { in: "reward", coefficient: 0.1 } as const;
  const config = { kl, preset: "verl", referenceRefreshUpdates: 2 } as const;
  const [one, two] = [aLearner(config, "graph"), aLearner({ ...config, ...sharded, replicas: 2 }, "xla")];
  for (const seed of [0, 1, 2, 3]) {
    const [expected, got] = [await one.update(randomGroups(seed)), await two.update(randomGroups(seed))];
    for (const measure of ["loss", "gradientNorm", "rewardPenaltyMean", "klK3"] as const)
      expect(got[measure], measure).toBeCloseTo(expected[measure], 5);
  }
});

it("a plan counts each replica's part", () => {
  const config = tinyConfig({ precision: "bfloat16" });
  const whole = estimateDevice(tinyModel, { ...config, replicas: 3 });
  const part = estimateDevice(tinyModel, { ...config, ...sharded });
  expect(part.momentsBytes / whole.momentsBytes).toBeCloseTo(1 / 3, 2);
  expect(part.totalBytes).toBeLessThan(whole.totalBytes);
});

it.each([
  [{ memory: { optimizerState: "sharded" } }, /replicas is 1.*set replicas to 2 or more/],
  [
    { replicas: 2, memory: { optimizerState: "sharded", accumulators: "none" } },
    /accumulators is "none".*set accumulators to "auto"/,
  ],
] as const)("%j is refused", (config, message) => {
  expect(() => aLearner(config, "xla")).toThrow(message);
});
