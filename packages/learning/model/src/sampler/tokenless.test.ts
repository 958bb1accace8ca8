/** Ids without a token: no way of sampling draws or reports one, and log-probs are those over the ids that have a token. */
import { type Backend, loadBackend } from "@palimpsest/jit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseModelConfig } from "../base/config.js";
import { initParameters } from "../base/parameters.js";
import { isTokenless } from "../tokens/tokenless-ids.js";
import type { GenerateRequest } from "./draw/request.js";
import { createSampler, type ModelSampler, type ModelSamplerOptions } from "./model-sampler.js";

/** Deep enough for a loop, for guesses, for a second head in bfloat16, and for the decoder of a single request. */
const config = parseModelConfig({
  architecture: "llama",
  vocabSize: 320,
  hiddenSize: 64,
  layers: 9,
  heads: 4,
  kvHeads: 2,
  headDim: 16,
  intermediateSize: 128,
  tieWordEmbeddings: true,
  maxPositions: 256,
  // Two holes and the end: 16 ids have a token, so that all of their log-probs can be requested.
  tokenlessIds: [
    { first: 0, count: 1 },
    { first: 7, count: 297 },
    { first: 314, count: 6 },
  ],
});
const missing = isTokenless(config);
const parameters = initParameters(config, 7, { projectionStd: 0.15, residualStd: 0.1, headStd: 0.3 });

let backend: Backend;
let samplers: Readonly<Record<string, ModelSampler>>;
beforeAll(async () => {
  backend = await loadBackend({ threads: 2 });
  const open = (options: Partial<ModelSamplerOptions>) =>
    createSampler({
      ...{ backend, config, parameters, maxBatch: 4, maxLength: 128, precision: "float32" },
      ...{ singleWeights: "off", speculate: false },
      ...options,
    });
  samplers = {
    pages: open({}),
    "pages in bfloat16": open({ precision: "bfloat16" }),
    "guesses over pages": open({ speculate: true }),
    slots: open({ cache: "slots", mode: "graph", stepsPerCall: 4 }),
    "guesses over slots": open({ cache: "slots", mode: "graph", speculate: true }),
    "a request alone": open({ singleWeights: "float32" }),
  };
});
afterAll(async () => {
  for (const sampler of Object.values(samplers ?? {})) await sampler.close();
});

const rules: readonly Partial<GenerateRequest>[] = [
  { temperature: 1 },
  { temperature: 0 },
  { temperature: 3 },
  { temperature: 1, topK: 19 },
  { temperature: 1, topP: 0.95 },
  { temperature: 2, minP: 1e-9 },
  { temperature: 1, logprobs: 20 },
];

const requests = (): GenerateRequest[] =>
  rules.map((rule, seed) => ({
    promptTokenIds: [5, 3, 310, 5, 3, 310, 5, 3],
    maxTokens: 24,
    stopTokenIds: [],
    temperature: 1,
    seed,
    ...rule,
  }));

const kinds = [
  "pages",
  "pages in bfloat16",
  "guesses over pages",
  "slots",
  "guesses over slots",
  "a request alone",
];

describe.each(kinds)("with %s", (kind) => {
  it("no id without a token is sampled or reported, and the probabilities of the others sum to 1", async () => {
    const sampler = samplers[kind] as ModelSampler;
    if (kind === "a request alone") {
      // Its threads start in the meantime; until then the request is sampled like any other.
      const first = { ...(requests()[0] as GenerateRequest), maxTokens: 20 };
      while ((sampler.functionStats["readEntries"]?.calls ?? 0) === 0) await sampler.generate(first);
    }
    for (const request of requests()) {
      const {
        tokenIds,
        rolloutLogprobs,
        sampledLogprobs,
        topLogprobs = [],
      } = await sampler.generate(request);
      expect(tokenIds).toHaveLength(24);
      expect(tokenIds.filter(missing)).toEqual([]);
      expect([...rolloutLogprobs, ...sampledLogprobs].every((logprob) => logprob > -100)).toBe(true);
      for (const top of topLogprobs) {
        expect(top.tokenIds).toHaveLength(16);
        const total = top.logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0);
        expect(total).toBeCloseTo(1, 3);
      }
    }
  });
});

it("a prompt may contain one: its row of the embedding is read", async () => {
  const request = { ...(requests()[0] as GenerateRequest), promptTokenIds: [5, 319, 0, 7] };
  const { tokenIds } = await (samplers["pages"] as ModelSampler).generate(request);
  expect(tokenIds.filter(missing)).toEqual([]);
  await expect(
    (samplers["pages"] as ModelSampler).generate({ ...request, promptTokenIds: [320] }),
  ).rejects.toThrow("ids are 0 to 319");
});
