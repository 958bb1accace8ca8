/** Windows, layers with rotary embeddings of their own, and rotary scaling: what is sampled has the log-probs of a whole forward pass. */
import { loadBackend, tf } from "@palimpsest/jit";
import { describe, expect, it, onTestFinished } from "vitest";
import { tokenLogprobs } from "../forward/token-logprobs.js";
import {
  numbersOf,
  type TransformersCase,
  transformersCases,
} from "../forward/transformers-numbers.fixture.js";
import { createSampler, type ModelSampler, type ModelSamplerOptions } from "./model-sampler.js";

const backend = await loadBackend();
const cases = await transformersCases();

function caseOf(name: string): TransformersCase {
  const found = cases[name];
  if (found === undefined) throw new Error(`no case ${name} among ${Object.keys(cases).join(", ")}`);
  return found;
}

function aSampler(name: string, changes: Partial<ModelSamplerOptions> = {}): ModelSampler {
  const { config, weights } = numbersOf(caseOf(name));
  const sampler = createSampler({
    backend,
    config,
    parameters: weights,
    maxBatch: 4,
    maxLength: 64,
    stepsPerCall: 8,
    prefillTokens: 32,
    mode: "eager",
    ...changes,
  });
  onTestFinished(() => sampler.close());
  return sampler;
}

/** Prompts of one token, of less than a window, and of several calls, of which two begin alike. */
const beginning = Array.from({ length: 36 }, (_, t) => (t * t * 5 + 3 * t) % 48);
const prompts = [[7], [3, 1, 4], beginning, [...beginning.slice(0, 33), 2, 9, 1], [...beginning, 5]];

/** The largest difference between the log-probs of a sampler and those of a forward pass over prompt and reply. */
async function worst(name: string, sampler: ModelSampler, asked = prompts): Promise<number> {
  const { config, parameters } = numbersOf(caseOf(name));
  const results = await Promise.all(
    asked.map((promptTokenIds, i) =>
      sampler.generate({ promptTokenIds, maxTokens: 20, temperature: 1, stopTokenIds: [], seed: i }),
    ),
  );
  const differences = results.flatMap(({ tokenIds, rolloutLogprobs }, i) => {
    const prompt = asked[i] ?? [];
    const expected = tf.tidy(() => [
      ...tokenLogprobs(
        parameters,
        tf.tensor2d([[...prompt, ...tokenIds]], undefined, "int32"),
        config,
      ).dataSync(),
    ]);
    return rolloutLogprobs.map((logprob, t) =>
      Math.abs(logprob - (expected[prompt.length - 1 + t] ?? Number.NaN)),
    );
  });
  return Math.max(...differences);
}

const compiled = backend.name === "tensorflow" ? "graph" : "eager";

describe.each(Object.keys(cases))("%s", (name) => {
  it("is sampled with the log-probs of a forward pass, in pieces, batches and after shared beginnings", async () => {
    const sampler = aSampler(name);
    expect(await worst(name, sampler)).toBeLessThan(1e-4);
    // What the first requests left in the cache is read again.
    expect(await worst(name, sampler, [[...beginning, 5, 6]])).toBeLessThan(1e-4);
    expect(sampler.stats.cachedTokens).toBeGreaterThan(0);
  });
});

// Shallow models write steps into their copy of the cache, deep ones keep them beside it.
it.each([
  "mistral with a window",
  "deep mistral with a window",
  "qwen2 with windows from a layer on",
  "gemma3, older fields",
  "deep gemma3",
])("%s is sampled so by compiled functions", async (name) => {
  expect(await worst(name, aSampler(name, { mode: compiled }))).toBeLessThan(1e-4);
});

describe("a model with a sliding window", () => {
  const name = "mistral with a window";

  it("is refused a table of slots, whose attention knows no window, unless no request is longer than it", async () => {
    expect(() => aSampler(name, { cache: "slots" })).toThrow(
      /cache is slots, which needs layers that attend to all tokens alike, without a sliding window shorter than maxLength; set cache to pages/,
    );
    const sampler = aSampler(name, { cache: "slots", maxLength: 7 });
    const { tokenIds } = await sampler.generate({
      promptTokenIds: [3],
      maxTokens: 4,
      temperature: 0,
      stopTokenIds: [],
      seed: 1,
    });
    expect(tokenIds).toHaveLength(4);
  });

  it("checks guesses as it samples", async () => {
    const deep = "deep mistral with a window";
    const repeated = Array.from({ length: 40 }, (_, t) => [5, 9, 2, 7][t % 4] as number);
    const sampler = aSampler(deep, { mode: compiled, speculate: true });
    expect(await worst(deep, sampler, [repeated])).toBeLessThan(1e-4);
  });
});
