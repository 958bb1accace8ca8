/**
 * SAMPLER-9: what a request samples, and its log-probs to the last bit, are its own. Each request is run alone and in crowds that
 * come in another order, so that it meets other numbers of rows, other rows of a batch and beginnings that others read.
 */
import { loadBackend } from "@palimpsest/jit";
import { expect, it, onTestFinished } from "vitest";
import { type ModelConfigInput, parseModelConfig } from "../base/config.js";
import { initParameters } from "../base/parameters.js";
import type { GenerateRequest, GenerateResult } from "./draw/request.js";
import { createSampler, type ModelSampler } from "./model-sampler.js";

const backend = await loadBackend();

const vocabSize = 271;
const shape: ModelConfigInput = {
  architecture: "llama",
  vocabSize,
  hiddenSize: 64,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 16,
  intermediateSize: 172,
  tieWordEmbeddings: true,
  maxPositions: 512,
};

function aSampler(
  changes: Partial<ModelConfigInput>,
  options: { readonly prefixCache: boolean },
): ModelSampler {
  const config = parseModelConfig({ ...shape, ...changes });
  const sampler = createSampler({
    backend,
    config,
    parameters: initParameters(config, 1, { projectionStd: 0.1, residualStd: 0.1, headStd: 0.1 }),
    maxBatch: 17,
    maxLength: 200,
    stepsPerCall: 4,
    batchInvariant: true,
    ...options,
  });
  onTestFinished(() => sampler.close());
  return sampler;
}

/** Two of five begin with the same 130 tokens; the others are of any length. */
const requests: readonly GenerateRequest[] = Array.from({ length: 18 }, (_, i) => {
  const own = Array.from({ length: 3 + ((i * 29) % 60) }, (_, t) => (i * 131 + t * t * 7 + t) % vocabSize);
  const shared = Array.from({ length: 130 }, (_, t) => (t * t * 5 + 3 * t) % vocabSize);
  return {
    promptTokenIds: i % 5 < 2 ? [...shared, ...own] : own,
    maxTokens: 2 + (i % 4),
    temperature: i % 4 === 0 ? 0 : 1,
    ...(i % 6 === 5 ? { topK: 20 } : {}),
    stopTokenIds: [],
    seed: i * 1000,
  };
});

const numbersOf = ({ tokenIds, rolloutLogprobs, sampledLogprobs }: GenerateResult) => ({
  tokenIds,
  rolloutLogprobs,
  sampledLogprobs,
});

async function expectOwnNumbers(
  changes: Partial<ModelConfigInput>,
  options: { readonly prefixCache: boolean },
) {
  const alone: object[] = [];
  const quiet = aSampler(changes, { prefixCache: false });
  for (const request of requests) alone.push(numbersOf(await quiet.generate(request)));
  const busy = aSampler(changes, options);
  for (const step of [1, 5]) {
    const order = requests.map((_, place) => (place * step) % requests.length);
    const crowd = await Promise.all(
      order.map(
        async (place) => [place, numbersOf(await busy.generate(requests[place] as GenerateRequest))] as const,
      ),
    );
    for (const [place, numbers] of crowd)
      expect(numbers, `request ${place}, order ${step}`).toEqual(alone[place]);
  }
}

it("SAMPLER-9: a model that is written out, with shared beginnings", async () => {
  await expectOwnNumbers({}, { prefixCache: true });
});

it("SAMPLER-9: a model that runs as a loop, with one head of keys and values", async () => {
  await expectOwnNumbers({ layers: 9, kvHeads: 1 }, { prefixCache: true });
});

it("SAMPLER-9: lanes, which split batches, are refused", () => {
  const config = parseModelConfig(shape);
  const parameters = initParameters(config, 1);
  expect(() =>
    createSampler({ backend, config, parameters, maxLength: 64, lanes: 2, batchInvariant: true }),
  ).toThrow(/lanes is 2, but batchInvariant/);
});
