import { loadBackend } from "@palimpsest/jit";
import { parameterShapes, parseModelConfig } from "@palimpsest/model";
import { describe, expect, it } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { createRandom } from "../config/random.js";
import { createLearner } from "../learner/create-learner.js";
import {
  randomGroups,
  rowsOfPrompts,
  tinyConfig,
  tinyParameters,
  twoLayers,
} from "../learner/learner.fixture.js";
import { expectSame, openSteps, type Step } from "../learner/steps.fixture.js";
import type { PackableRow } from "../rows/micro-batches.js";
import type { Objective } from "../step/compiled.js";

const backend = await loadBackend();

/** Rows of 3 to 12 tokens, of which the last one to five are trained, but for one in the middle. */
function rowsOf(count: number): PackableRow[] {
  const random = createRandom(11);
  return Array.from({ length: count }, (_, index) => {
    const tokens = 3 + random.below(10);
    const from = Math.max(1, tokens - 1 - random.below(5));
    return {
      tokenIds: Array.from({ length: tokens }, () => random.below(16)),
      lossMask: Array.from({ length: tokens }, (_, i) => (i >= from && i !== from + 2 ? 1 : 0)),
      rolloutLogprobs: Array.from({ length: tokens }, () => -2 - random.below(100) / 100),
      advantage: random.below(5) - 2,
      temperature: [1, 0.6, 1.5][index % 3] as number,
    };
  });
}

/** Loss and gradients of one step over the rows, nothing applied. */
async function stepOf(
  objective: Objective,
  overrides: Partial<LearnerConfigInput>,
  rows = rowsOf(9),
  model = twoLayers,
): Promise<Step> {
  const steps = openSteps(backend, objective, overrides, model);
  try {
    return await steps.run(rows);
  } finally {
    steps.close();
  }
}

const steps = new Map<string, Promise<Step>>();

/** The step that others are held against: computed once for all tests that ask for the same. */
function plainStepOf(...asked: Parameters<typeof stepOf>): Promise<Step> {
  const key = JSON.stringify(asked);
  const step = steps.get(key) ?? stepOf(...asked);
  steps.set(key, step);
  return step;
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

const scanned = { layers: "scan", logitsMb: 1e-3, scoresMb: 1e-4, applyMb: 1e-3 } as const;
const forms: readonly [string, Partial<LearnerConfigInput>][] = [
  ["layers as a loop, logits in chunks", { memory: scanned }],
  ["logits of trained tokens alone", { buckets: [{ rows: 4, length: 12, trainedTokens: 9 }] }],
  ["rows packed", { buckets: [{ rows: 2, length: 20, packedRows: 8 }] }],
  ["rows packed, few trained", { buckets: [{ rows: 1, length: 30, packedRows: 5, trainedTokens: 11 }] }],
  ["a budget of tokens", { buckets: undefined, microBatch: { tokens: 36, lengths: [6, 12] } }],
  [
    "a packed budget, everything at once",
    { buckets: undefined, microBatch: { tokens: 48, lengths: [12, 24], packed: true }, memory: scanned },
  ],
];

const prompts = { length: 6, replies: 2 };
const sharedForms: readonly [string, Partial<LearnerConfigInput>][] = [
  ["all prompts at once", { buckets: [{ rows: 12, length: 12, sharedPrompts: prompts }] }],
  ["few trained", { buckets: [{ rows: 4, length: 12, sharedPrompts: prompts, trainedTokens: 13 }] }],
  [
    "layers as a loop, prompts in blocks",
    { buckets: [{ rows: 6, length: 13, sharedPrompts: { length: 7, replies: 3 } }], memory: scanned },
  ],
  [
    "others not",
    {
      buckets: [
        { rows: 2, length: 12, sharedPrompts: prompts },
        { rows: 4, length: 9 },
      ],
    },
  ],
];

describe("a step whose rows share prompts", () => {
  // Biases; gains of queries and keys, with two query heads to a key head.
  const architectures = [
    ["qwen2", {}],
    ["qwen3", { heads: 4, kvHeads: 2, headDim: 4 }],
  ] as const;
  it.each(
    sharedForms.map(([name, overrides], index) => ({
      name,
      overrides,
      of: architectures[index % 2] ?? architectures[0],
    })),
  )("has the same loss and gradients: $name", async ({ overrides, of: [architecture, shape] }) => {
    const model = parseModelConfig({ ...twoLayers, ...shape, architecture });
    const buckets = [{ rows: 9, length: 12 }];
    const plain = await plainStepOf("policy", { buckets }, rowsOfPrompts(), model);
    expectSame(await stepOf("policy", overrides, rowsOfPrompts(), model), plain);
  });

  it("has the same supervised loss and gradients, and those of adapters", async () => {
    const [, [, few]] = sharedForms as [unknown, [string, Partial<LearnerConfigInput>]];
    const buckets = [{ rows: 9, length: 12 }];
    const plain = await stepOf("supervised", { buckets }, rowsOfPrompts());
    expectSame(await stepOf("supervised", few, rowsOfPrompts()), plain);
    const lora = { lora: { rank: 3, alpha: 6 } };
    const adapters = await stepOf("policy", { buckets, ...lora }, rowsOfPrompts());
    expectSame(await stepOf("policy", { ...few, ...lora }, rowsOfPrompts()), adapters);
  });
});

describe("a step", () => {
  const objective = "policy";
  it.each(forms)("has the same loss and gradients with %s", async (_name, overrides) => {
    const plain = await plainStepOf(objective, {
      buckets: [{ rows: 9, length: 12 }],
      memory: { layers: "unrolled" },
    });
    expectSame(await stepOf(objective, overrides), plain);
  });

  it("has nearly the same loss and gradients in bfloat16", async () => {
    const [whole, rounded] = [await stepOf("policy", {}), await stepOf("policy", { precision: "bfloat16" })];
    expect(Math.abs(rounded.loss / whole.loss - 1)).toBeLessThan(0.02);
    if (backend.name === "tensorflow") expect(rounded.loss).not.toBe(whole.loss); // It did round.
    for (const [name, gradient] of Object.entries(whole.gradients)) {
      const other = rounded.gradients[name] ?? new Float32Array();
      expect(cosine(gradient, other), name).toBeGreaterThan(0.999);
    }
  });

  it("has the same loss and gradients of a sequence loss, packed", async () => {
    const gspo: Partial<LearnerConfigInput> = {
      loss: { kind: "gspo", clipLow: 0.5, clipHigh: 0.5 },
      aggregation: "seq-mean-token-mean",
    };
    const plain = await stepOf(objective, { ...gspo, buckets: [{ rows: 9, length: 12 }] });
    const packed = await stepOf(objective, { ...gspo, buckets: [{ rows: 2, length: 30, packedRows: 9 }] });
    expect(packed.microBatches).toBeLessThan(3);
    expectSame(packed, plain);
  });

  it("has the same supervised loss and gradients, packed", async () => {
    const plain = await stepOf("supervised", {});
    expectSame(
      await stepOf("supervised", { buckets: [{ rows: 2, length: 30, packedRows: 9 }], memory: scanned }),
      plain,
    );
  });

  it("trains adapters the same in every form", async () => {
    const lora = { rank: 3, alpha: 6, targets: ["q_proj", "down_proj"] } as const;
    const own: Partial<LearnerConfigInput> = { lora: { ...lora, targets: [...lora.targets] } };
    const plain = await stepOf(objective, { ...own, memory: { layers: "unrolled" } });
    expect(Object.keys(plain.gradients)).toEqual([
      "layers.query.loraA",
      "layers.query.loraB",
      "layers.down.loraA",
      "layers.down.loraB",
    ]);
    expectSame(await stepOf(objective, { ...own, memory: scanned }), plain);
    const packed = { buckets: [{ rows: 1, length: 40, packedRows: 9 }], memory: scanned };
    expectSame(await stepOf(objective, { ...own, ...packed }), plain);
  });
});

describe("a learner of adapters", () => {
  const config = tinyConfig({
    lora: { rank: 4, alpha: 8 },
    kl: { coefficient: 0.05 },
    oldLogprobs: "recompute",
    schedule: { learningRate: 0.05 },
  });

  it("starts as the base model, moves its adapters, and gives the base with them merged", async () => {
    const base = tinyParameters(1, twoLayers);
    const learner = createLearner({ backend, model: twoLayers, parameters: base, config });
    expect(learner.parameters()).toEqual(base);
    const first = await learner.update(randomGroups(3));
    expect(first.klK3).toBeLessThan(1e-9);
    const second = await learner.update(randomGroups(4));
    expect(second.klK3).toBeGreaterThan(1e-5);
    const merged = learner.parameters();
    for (const name of Object.keys(parameterShapes(twoLayers))) {
      const moved = (merged[name] as Float32Array).some((value, i) => value !== base[name]?.[i]);
      expect(moved, name).toBe(/\.(query|key|value|attentionOut|gate|up|down)$/.test(name));
    }
    // A plain learner that starts from the merged weights predicts what this one does.
    const rows = rowsOf(4).map(({ tokenIds, lossMask }) => ({ tokenIds, lossMask }));
    const plain = createLearner({ backend, model: twoLayers, parameters: merged, config: tinyConfig() });
    const lossOfMerged = (await plain.sft(rows)).loss;
    expect(Math.abs((await learner.sft(rows)).loss / lossOfMerged - 1)).toBeLessThan(1e-5);
    plain.close();
    learner.close();
  });

  it("goes on from a checkpoint with equal bytes", async () => {
    const one = createLearner({
      backend,
      model: twoLayers,
      parameters: tinyParameters(1, twoLayers),
      config,
    });
    await one.update(randomGroups(3));
    const saved = one.checkpoint({ consumedGroupIds: [], dataCursor: null });
    await one.update(randomGroups(4));
    const other = createLearner({
      backend,
      model: twoLayers,
      parameters: tinyParameters(1, twoLayers),
      config,
      checkpoint: saved,
    });
    await other.update(randomGroups(4));
    expect(other.adapters()).toEqual(one.adapters());
    one.close();
    other.close();
  });

  it("refuses another reference than the base", () => {
    const referenceParameters = tinyParameters(2);
    const parameters = tinyParameters(1, twoLayers);
    expect(() =>
      createLearner({ backend, model: twoLayers, parameters, referenceParameters, config }),
    ).toThrow(/CONFIG_INVALID.*referenceParameters/);
  });
});
