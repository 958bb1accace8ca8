/** SAMPLER-11: with guesses a request samples the tokens that it samples without, and its log-probs are the model's. */
import { loadBackend } from "@palimpsest/jit";
import { describe, expect, test } from "vitest";
import { parseModelConfig } from "../base/config.js";
import { initParameters } from "../base/parameters.js";
import { Guesses } from "./batch/guesses.js";
import type { GenerateRequest } from "./draw/request.js";
import { createSampler, type ModelSamplerOptions } from "./model-sampler.js";

const backend = await loadBackend();

/** Deep enough to run as a loop, and so narrow that it soon repeats itself. */
const deepConfig = {
  architecture: "llama",
  vocabSize: 13,
  hiddenSize: 16,
  layers: 9,
  heads: 2,
  kvHeads: 1,
  headDim: 8,
  intermediateSize: 24,
  tieWordEmbeddings: true,
  maxPositions: 128,
} as const;
const scheme = { projectionStd: 0.3, residualStd: 0.3, headStd: 0.6 };
const prompt = [1, 2, 3, 4, 5, 6, 1, 2, 3, 4];

function aSampler({ layers, ...options }: Partial<ModelSamplerOptions> & { readonly layers?: number }) {
  const config = parseModelConfig({ ...deepConfig, ...(layers === undefined ? {} : { layers }) });
  const parameters = initParameters(config, 7, scheme);
  return createSampler({ backend, config, parameters, maxBatch: 2, maxLength: 96, ...options });
}

/** Pages on a CPU, and the table of slots that a GPU has, which computes the same without one. */
const caches: readonly Partial<ModelSamplerOptions>[] = [
  { cache: "pages" },
  { cache: "slots", mode: "graph" },
];

describe.each(caches)("with $cache", (own) => {
  test("guesses change no token and no log-prob, at any temperature, with stops and limits", async () => {
    const [guessing, plain] = [aSampler({ ...own, speculate: true }), aSampler({ ...own, speculate: false })];
    const rules = [
      { temperature: 0 },
      { temperature: 0.7 },
      { temperature: 1 },
      { temperature: 1, topP: 0.9, topK: 6 },
    ];
    const requests: GenerateRequest[] = rules.flatMap((rule) =>
      [41, 6].map((maxTokens, i) => ({
        promptTokenIds: prompt,
        maxTokens,
        ...rule,
        stopTokenIds: i === 1 ? [] : [12],
        seed: 3 + i,
      })),
    );
    for (const request of requests) {
      const runs: number[] = [];
      const given = { ...request, onTokens: (tokenIds: readonly number[]) => runs.push(tokenIds.length) };
      const [fast, slow] = [await guessing.generate(given), await plain.generate(request)];
      expect(fast.tokenIds).toEqual(slow.tokenIds);
      expect(fast.stopReason).toBe(slow.stopReason);
      expect(runs.reduce((sum, run) => sum + run, 0)).toBe(fast.tokenIds.length);
      fast.rolloutLogprobs.forEach((logprob, t) => {
        expect(logprob).toBeCloseTo(slow.rolloutLogprobs[t] as number, 4);
      });
      fast.sampledLogprobs.forEach((logprob, t) => {
        expect(logprob).toBeCloseTo(slow.sampledLogprobs[t] as number, 4);
      });
    }
    const { guessedTokens, rightGuesses, deviceCalls } = guessing.stats;
    expect(rightGuesses).toBeGreaterThan(0);
    expect(rightGuesses).toBeLessThan(guessedTokens);
    expect(deviceCalls).toBeLessThan(plain.stats.sampledTokens);
    expect(plain.stats.guessedTokens).toBe(0);
    await guessing.close();
    await plain.close();
  });

  test("what was guessed wrong is not in the cache of whoever goes on from there", async () => {
    const [guessing, plain] = [aSampler({ ...own, speculate: true }), aSampler({ ...own, speculate: false })];
    const of = async (sampler: typeof plain) => {
      const request = { promptTokenIds: prompt, maxTokens: 40, temperature: 1, stopTokenIds: [], seed: 11 };
      const { tokenIds } = await sampler.generate(request);
      const further = { ...request, promptTokenIds: [...prompt, ...tokenIds, 9], seed: 12 };
      return [tokenIds, (await sampler.generate(further)).tokenIds];
    };
    expect(await of(guessing)).toEqual(await of(plain));
    expect(guessing.stats.cachedTokens).toBeGreaterThan(0);
    await guessing.close();
    await plain.close();
  });
});

test("is refused where guesses cannot be checked", () => {
  const refused = () => aSampler({ speculate: true, batchInvariant: true });
  expect(refused).toThrow(/speculate is true/);
});

test("guesses follow the latest longest agreement, and pause after wrong ones", () => {
  const guesses = new Guesses([1, 2, 3, 4, 9, 1, 2, 3, 5]);
  expect(guesses.next([1, 2, 3], 2)).toEqual([5, 1]);
  expect(guesses.next([7, 2, 3, 4], 3)).toEqual([9, 1, 2]);
  expect(guesses.next([8, 8], 3)).toEqual([]);
  expect(guesses.next([1, 2, 3], 0)).toEqual([]);
  guesses.note(0, 4);
  expect(guesses.next([1, 2, 3, 0, 1, 2, 3], 2)).toEqual([]);
  expect(guesses.next([1, 2, 3, 0, 1, 1, 2, 3], 2)).toEqual([0, 1]);
});

test("as many guesses are made as pay off, for the share that was right lately", () => {
  const guesses = new Guesses([1, 2, 3, 4, 5, 6, 1, 2]);
  const costs = [1, 1.4, 1.7, 2.6];
  const sampled: number[] = [];
  expect(guesses.worthwhile(sampled, 3, costs)).toEqual([3]);
  sampled.push(3, 4, 5);
  expect(guesses.worthwhile(sampled, 3, costs)).toEqual([6, 1]);
  for (const token of [8, 9]) {
    sampled.push(token);
    guesses.worthwhile(sampled, 3, costs);
  }
  sampled.push(1, 2, 8, 1, 2);
  expect(guesses.worthwhile(sampled, 3, [1, 1.7, 2.2, 2.8])).toEqual([]);
  expect(guesses.worthwhile(sampled, 3, [1, 1, 1, 1])).toEqual([8, 1, 2]);
});
