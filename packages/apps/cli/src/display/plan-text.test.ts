import type { RunPlan } from "@palimpsest/trainer";
import { expect, test } from "vitest";
import { planText } from "./plan-text.js";

const gib = 2 ** 30;
const seconds = {
  ...{
    sampling: 17.7,
    loading: 0.5,
    update: 150,
    exchange: 0,
    publishing: 0.5,
    checkpoint: 1,
    evaluation: 0.3,
  },
  total: 170,
};
const plan: RunPlan = {
  modelFolder: "/models/small",
  model: {
    architecture: "llama",
    vocabSize: 49_152,
    hiddenSize: 576,
    layers: 30,
    heads: 9,
    kvHeads: 3,
    headDim: 64,
    intermediateSize: 1536,
    ropeTheta: 10_000,
    rmsNormEps: 1e-5,
    tieWordEmbeddings: true,
    maxPositions: 2048,
  },
  parameters: 134_500_000,
  prompt: "chat template",
  stopTokens: ["<|im_end|>"],
  tasks: { total: 1024, lookedAt: 256 },
  documentTokens: { mean: 74.4, most: 97 },
  assumed: { model: false, data: false },
  conversations: [
    { kind: "memory", promptTokens: 137, replyTokens: 20, trainedTokens: 20 },
    { kind: "final", promptTokens: 76, replyTokens: 12, trainedTokens: 12 },
  ],
  step: {
    ...{ episodes: 16, conversations: 48, promptTokens: 5591, sampledTokensAtMost: 833, optimizerSteps: 1 },
    filled: 0.934,
  },
  needs: {
    learner: {
      processBytes: gib,
      hostBytes: gib,
      weightsBytes: gib,
      referenceBytes: 0,
      momentsBytes: gib,
      gradientsBytes: gib,
      stepBytes: 3 * gib,
      stepParts: { gradientsBytes: gib, activationsBytes: gib, logitsBytes: gib },
      applyBytes: gib,
      samplerWeightsBytes: gib,
      samplerCacheBytes: gib,
      totalBytes: 9 * gib,
    },
    learnerActors: 1,
    learnerBytes: 7 * gib,
    learnerDeviceBytes: 5 * gib,
    rolloutActors: 2,
    rolloutBytes: 3 * gib,
    rolloutDeviceBytes: 2 * gib,
    engineBytes: 0,
    engineVersionBytes: gib,
    weightsBytes: gib,
    otherBytes: gib,
    storeBytes: gib,
    totalBytes: 15 * gib,
  },
  memoryBytes: 24 * gib,
  time: {
    expected: seconds,
    atMost: { ...seconds, sampling: 35.4, total: 188 },
    expectedTotalSeconds: 20 * 170,
    totalSeconds: 20 * 188,
  },
  nodes: 1,
  layout: { learnerActors: 1, replicas: 1, sharded: false, actors: 2, maxBatch: 64 },
  layouts: [],
  devices: { rollout: "1 processor thread", learner: "2 processor threads" },
  buckets: [
    { rows: 8, length: 88 },
    { rows: 2, length: 160, packedRows: 6, trainedTokens: 64 },
  ],
  problems: [],
};

test("a plan reads as one page: model, prompts, tokens of a step, shapes, memory by part", () => {
  const text = planText(plan);
  expect(text).toContain("llama, 134.5M parameters: 30 layers, width 576, 9 heads (3 KV heads)");
  expect(text).toContain("chat template; replies end at <|im_end|>");
  expect(text).toContain("memory update   prompt up to 137 + reply up to 20 tokens");
  expect(text).toContain("16 episodes, 48 conversations");
  expect(text).toContain("8 × 88, 2 × 160, 6 packed, 64 trained");
  expect(text).toMatch(/activations of a micro-batch, or buffers of the optimizer +3\.00 GiB/);
  expect(text).toMatch(/for all 2 +6\.00 GiB/);
  expect(text).toMatch(/on one machine, which has 24\.00 GiB +15\.00 GiB/);
  expect(text).toContain("1 optimizer step; 93 % of the learner's positions filled");
  expect(text).toContain("sampling on 1 processor thread each, update on 2 processor threads\n");
  expect(text).toMatch(/seconds of a step +expected +at most\n/);
  expect(text).toMatch(/\nsampling +18 s +35 s\n/);
  expect(text).toMatch(/\nthe run +57 min +63 min\n/);
  expect(text).toContain("The run fits: nothing was started, and no weights were read.");
});

test("what is not on the machine is said to be taken from the recipe", () => {
  const text = planText({ ...plan, assumed: { model: true, data: true } });
  expect(text).toContain("not on this machine: its shape is known");
  expect(text).toContain("their file is not on this machine: documents are assumed to have 74 tokens");
});

test("what stands against a run is listed, one line each", () => {
  const text = planText({ ...plan, problems: ["memory: too little", "learner: no bucket"] });
  expect(text).toContain("The run is not possible:\n- memory: too little\n- learner: no bucket\n");
});

test("a plan with engines says where they are, what they lease and what new weights cost", () => {
  const engines = {
    kind: "vllm",
    count: 2,
    started: true,
    cpus: 1,
    gpus: 2,
    load: "reload",
    adapters: "merged",
    versionBytes: gib / 2,
    weightsDir: "/shared/weights",
    found: [{ name: "vllm", said: "is on this machine" }],
    problems: [],
  } as const;
  const text = planText({ ...plan, needs: { ...plan.needs, engineBytes: gib }, engines });
  expect(text).toContain(
    "engines         2 of kind vllm, started by the run with the resources that its rollout actor leases: 1 CPU and 2 GPUs each\n",
  );
  expect(text).toContain("                vllm is on this machine\n");
  expect(text).toContain(
    "new weights     after every update 0.50 GiB is written to /shared/weights for each engine, and the server reads them while it runs; at most two versions are kept, in addition to the output of prepare\n",
  );
  expect(text).toMatch(/engine +weights only; caches depend on its flags +1\.00 GiB/);
});
