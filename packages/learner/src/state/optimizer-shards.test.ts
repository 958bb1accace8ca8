/** Moments dealt out to replicas, held against one learner that has them whole (ZERO-1, ZERO-2). On a CPU replicas share it. */
import { type Backend, loadBackend } from "@palimpsest/jit";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createLearner, type LearnerOptions } from "../learner/create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "../learner/learner.fixture.js";
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

it("a plan counts each replica's part of the moments", () => {
  const config = tinyConfig({ precision: "bfloat16" });
  const whole = estimateDevice(tinyModel, { ...config, replicas: 3 });
  const part = estimateDevice(tinyModel, { ...config, ...sharded });
  expect(part.momentsBytes).toBeCloseTo(whole.momentsBytes / 3, 0);
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
