/** What nobody trains is stored in bfloat16 where products round to it: the same updates, half the memory. */
import { loadBackend } from "@palimpsest/jit";
import { mergeLora } from "@palimpsest/model";
import { expect, it, onTestFinished } from "vitest";
import { type LearnerConfigInput, resolveLearnerConfig } from "../config/config.js";
import { estimateDevice } from "../memory/device-estimate.js";
import { stateSpecs } from "../state/state.js";
import { createLearner } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import type { Learner } from "./learner.js";

const backend = await loadBackend({ prefer: "tensorflow" });

const lora = { rank: 2, alpha: 4, targets: "all-linear" as const };
const half = { precision: "bfloat16" as const, buckets: [{ rows: 8, length: 12 }] };

function aLearner(changes: Partial<LearnerConfigInput>, mode: "graph" | "xla" = "graph"): Learner {
  const config = tinyConfig({ kl: { coefficient: 0.1 }, optimizer: { epsilon: 1e-3 }, ...changes });
  const learner = createLearner({
    backend,
    config,
    model: tinyModel,
    parameters: tinyParameters(),
    mode,
  });
  onTestFinished(() => learner.close());
  return learner;
}

const storedIn = (changes: Partial<LearnerConfigInput>) => {
  const specs = stateSpecs(tinyModel, resolveLearnerConfig(tinyConfig(changes)), { accumulates: true });
  return Object.keys(specs).filter((name) => specs[name]?.stored === "bfloat16");
};

it("bases of adapters and references are, but for norms; what is trained and float32 are not", () => {
  const frozen = storedIn({ ...half, lora });
  expect(frozen).toContain("weights/embedding");
  expect(frozen).toContain("weights/layers.gate");
  expect(frozen.filter((name) => /lora|Norm|^(moment|gradient|reference)/.test(name))).toEqual([]);
  const reference = storedIn(half);
  expect(reference).toContain("reference/layers.gate");
  expect(reference).toContain("reference/head");
  // Looked up, not multiplied: the policy's own is not rounded there.
  expect(reference).not.toContain("reference/embedding");
  expect(reference.every((name) => name.startsWith("reference/"))).toBe(true);
  expect(storedIn({ lora })).toEqual([]);
  expect(storedIn({})).toEqual([]);
});

it.each([
  ["a base", { lora }, "xla"],
  ["a base", { lora }, "graph"],
  ["a reference", {}, "graph"],
] as const)(
  "%s in bfloat16 trains what float32 trains, within its rounding: mode %3$s",
  async (_, changes, mode) => {
    const [whole, rounded] = [
      aLearner({ buckets: half.buckets, ...changes }),
      aLearner({ ...half, ...changes }, mode),
    ];
    for (const seed of [0, 1]) {
      const [expected, got] = [
        await whole.update(randomGroups(seed, 1)),
        await rounded.update(randomGroups(seed, 1)),
      ];
      expect(Math.abs(got.loss - expected.loss)).toBeLessThan(0.02);
      expect(got.gradientNorm / expected.gradientNorm).toBeCloseTo(1, 1);
      // Before a step policy and reference are one model, and compute one thing.
      if (seed === 0) expect(Math.abs(got.klK3)).toBeLessThan(1e-7);
    }
  },
);

it("weights are exported over the base as it was given, and adapters go on over the rounded one after a checkpoint", async () => {
  const learner = aLearner({ ...half, lora });
  await learner.update(randomGroups(0, 1));
  const base = tinyParameters();
  expect(learner.parameters(base)).toEqual(mergeLora(tinyModel, base, learner.adapters(), lora));
  expect(learner.parameters()["embedding"]).not.toEqual(base["embedding"]);
  const checkpoint = learner.checkpoint({ consumedGroupIds: [], dataCursor: null });
  const again = createLearner({
    backend,
    config: tinyConfig({ kl: { coefficient: 0.1 }, optimizer: { epsilon: 1e-3 }, ...half, lora }),
    model: tinyModel,
    parameters: base,
    checkpoint,
    mode: "graph",
  });
  onTestFinished(() => again.close());
  await learner.update(randomGroups(1, 1));
  await again.update(randomGroups(1, 1));
  expect(again.adapters()).toEqual(learner.adapters());
});

it("a reference in bfloat16 goes on bit for bit from a checkpoint, which holds it as it was rounded", async () => {
  const learner = aLearner(half);
  await learner.update(randomGroups(0, 1));
  const checkpoint = learner.checkpoint({ consumedGroupIds: [], dataCursor: null });
  const config = tinyConfig({ kl: { coefficient: 0.1 }, optimizer: { epsilon: 1e-3 }, ...half });
  const again = createLearner({
    backend,
    config,
    model: tinyModel,
    parameters: tinyParameters(2),
    checkpoint,
    mode: "graph",
  });
  onTestFinished(() => again.close());
  await learner.update(randomGroups(1, 1));
  await again.update(randomGroups(1, 1));
  expect(again.weightsHash()).toBe(learner.weightsHash());
});

it("the plan counts two bytes for a frozen weight", () => {
  const model = { ...tinyModel, vocabSize: 1000, tieWordEmbeddings: true };
  const bytes = (changes: Partial<LearnerConfigInput>) =>
    estimateDevice(model, tinyConfig({ ...half, ...changes }));
  const all = bytes({ reference: "none", kl: { coefficient: 0 } }).weightsBytes;
  const { weightsBytes, referenceBytes } = bytes({ lora });
  expect(referenceBytes).toBe(0);
  expect(weightsBytes).toBeLessThan(0.7 * all);
  expect(weightsBytes).toBeGreaterThan(0.5 * all);
  // The embedding of 1,000 is most of this model.
  expect(bytes({}).referenceBytes).toBeLessThan(all);
});
