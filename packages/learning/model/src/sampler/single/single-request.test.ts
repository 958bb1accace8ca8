/** SINGLE-1, SINGLE-2, SINGLE-3: a request that runs alone samples what it samples beside others, with and without guesses. */
import { type Backend, loadBackend } from "@palimpsest/jit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ModelConfig, parseModelConfig } from "../../base/config.js";
import { initParameters } from "../../base/parameters.js";
import type { GenerateRequest } from "../draw/request.js";
import { createSampler, type ModelSampler, type ModelSamplerOptions } from "../model-sampler.js";

let backend: Backend;
/** Of one model, with float32 weights of its own for a request alone, and without: a sampler is a second of work. */
let shared: { readonly alone: ModelSampler; readonly plain: ModelSampler };
beforeAll(async () => {
  backend = await loadBackend({ threads: 2 });
  shared = { alone: aSampler({ singleWeights: "float32" }), plain: aSampler({ singleWeights: "off" }) };
  await started(shared.alone);
});
afterAll(async () => {
  await shared?.alone.close();
  await shared?.plain.close();
});

function deep(architecture: ModelConfig["architecture"]) {
  return parseModelConfig({
    architecture,
    vocabSize: 300,
    hiddenSize: 64,
    layers: 9,
    heads: 4,
    kvHeads: 2,
    headDim: 16,
    intermediateSize: 128,
    tieWordEmbeddings: architecture !== "qwen2",
    maxPositions: 512,
    // Shorter than most prompts.
    ...(architecture === "gemma3"
      ? {
          slidingWindow: {
            size: 20,
            layers: Array.from({ length: 9 }, (_, i) => i % 3 !== 2),
            ropeTheta: 50,
          },
        }
      : {}),
  });
}

const config = deep("llama");
const scheme = { projectionStd: 0.15, residualStd: 0.1, headStd: 0.3 };
const parameters = initParameters(config, 7, scheme);

/** For samplers that are given one request after the other: they load half as many functions. */
const oneAtATime = { maxBatch: 1 } as const;

function aSampler(options: Partial<ModelSamplerOptions>): ModelSampler {
  return createSampler({
    backend,
    config,
    parameters,
    precision: "float32",
    maxBatch: 2,
    maxLength: 320,
    speculate: false,
    ...options,
  });
}

function aRequest(seed: number, length: number, fields: Partial<GenerateRequest> = {}): GenerateRequest {
  const promptTokenIds = Array.from({ length }, (_, i) => (i * 7 + seed) % config.vocabSize);
  return { promptTokenIds, maxTokens: 30, temperature: 1, stopTokenIds: [], seed, ...fields };
}

function expectClose(some: readonly number[], others: readonly number[], digits: number): void {
  expect(some.length).toBe(others.length);
  some.forEach((value, i) => {
    expect(value).toBeCloseTo(others[i] as number, digits);
  });
}

/** Samples until the decoder's threads have started: until then a request alone samples as all do. */
async function started(sampler: ModelSampler): Promise<void> {
  const calls = () => sampler.functionStats["readEntries"]?.calls ?? 0;
  const request = aRequest(1, 0, { promptTokenIds: [1, 2, 3, 4, 5], maxTokens: 2 });
  while (calls() === 0) await sampler.generate(request);
}

async function expectSame(alone: ModelSampler, plain: ModelSampler): Promise<void> {
  const requests = [
    aRequest(3, 200),
    aRequest(4, 9, { temperature: 0 }),
    aRequest(5, 40, { temperature: 0.7, stopTokenIds: [11, 12, 13, 14, 15] }),
    aRequest(6, 40, { topP: 0.9 }),
  ];
  for (const request of requests) {
    const [one, other] = [await alone.generate(request), await plain.generate(request)];
    expect(one.tokenIds).toEqual(other.tokenIds);
    expect(one.stopReason).toBe(other.stopReason);
    expectClose(one.rolloutLogprobs, other.rolloutLogprobs, 4);
    expectClose(one.sampledLogprobs, other.sampledLogprobs, 4);
  }
}

test("tokens and log-probs of llama are those of sampling together", async () => {
  await expectSame(shared.alone, shared.plain);
});

test("weights that change in flight leave a reply its keys and values, also those that its pages lack (SAMPLER-2, SINGLE-3)", async () => {
  const others = initParameters(config, 8, scheme);
  const sampled = async (singleWeights: "float32" | "off") => {
    const sampler = aSampler({ singleWeights, weightUpdates: "in-flight" });
    try {
      if (singleWeights !== "off") await started(sampler);
      let changed: Promise<void> | undefined;
      let seen = 0;
      const result = await sampler.generate(
        aRequest(3, 20, {
          maxTokens: 120,
          onTokens: (tokens) => {
            seen += tokens.length;
            if (seen >= 60) changed ??= sampler.setWeights(others, 1);
          },
        }),
      );
      await changed;
      return result;
    } finally {
      await sampler.close();
    }
  };
  const [one, other] = [await sampled("float32"), await sampled("off")];
  expect(one.versionRuns).toHaveLength(2);
  expect(one.versionRuns).toEqual(other.versionRuns);
  expect(one.tokenIds).toEqual(other.tokenIds);
  expectClose(one.rolloutLogprobs, other.rolloutLogprobs, 3);
});

test.each(["qwen2", "qwen3", "gemma3"] as const)(
  "tokens and log-probs of %s are those of sampling together",
  async (architecture) => {
    const model = deep(architecture);
    const parameters = initParameters(model, 7, scheme);
    // With gains of 1, a norm that is left out after another one would not show.
    for (const [name, values] of Object.entries(parameters))
      if (name.endsWith("Norm")) values.set(values.map((_, i) => 1 + 0.3 * Math.sin(i)));
    const own = { ...oneAtATime, config: model, parameters };
    const [alone, plain] = [
      aSampler({ ...own, singleWeights: "float32" }),
      aSampler({ ...own, singleWeights: "off" }),
    ];
    await started(alone);
    await expectSame(alone, plain);
    await alone.close();
    await plain.close();
  },
);

test("others find in the cache what was sampled alone, and it goes on after them", async () => {
  const { alone, plain } = shared;
  const written = alone.functionStats["writeEntries"]?.calls ?? 0;
  const { cachedTokens } = alone.stats;
  const of = async (sampler: ModelSampler) => {
    let mate: Promise<{ readonly tokenIds: readonly number[] }> | undefined;
    let seen = 0;
    const onTokens = (tokenIds: readonly number[]) => {
      seen += tokenIds.length;
      if (seen > 70) mate ??= sampler.generate(aRequest(9, 30, { maxTokens: 20 }));
    };
    const { tokenIds } = await sampler.generate(aRequest(8, 20, { maxTokens: 180, onTokens }));
    const further = aRequest(10, 0, { promptTokenIds: [...aRequest(8, 20).promptTokenIds, ...tokenIds, 5] });
    return [tokenIds, (await mate)?.tokenIds, (await sampler.generate(further)).tokenIds];
  };
  expect(await of(alone)).toEqual(await of(plain));
  expect(alone.functionStats["writeEntries"]?.calls).toBeGreaterThan(written + 1);
  expect(alone.stats.cachedTokens).toBeGreaterThan(cachedTokens);
});

test("new weights are copied when they are used, and a failure of theirs leaves nothing behind", async () => {
  const { alone, plain } = shared;
  const others = initParameters(config, 8, scheme);
  for (const sampler of [alone, plain]) await sampler.setWeights(others, 1);
  const [one, other] = [await alone.generate(aRequest(3, 20)), await plain.generate(aRequest(3, 20))];
  expect(one.tokenIds).toEqual(other.tokenIds);
  // Scores of 1e19 times 1e19 are infinite, and their differences no numbers.
  const broken = { ...others, "layers.query": (others["layers.query"] as Float32Array).map(() => 3e38) };
  await alone.setWeights(broken, 2);
  await expect(alone.generate(aRequest(3, 20))).rejects.toThrow(/as a log-prob/);
  await alone.setWeights(others, 3);
  expect((await alone.generate(aRequest(3, 20))).tokenIds).toEqual(other.tokenIds);
});

test("guesses change no bit of what is sampled (SAMPLER-11)", async () => {
  const narrow = parseModelConfig({ ...config, vocabSize: 8 });
  const own = {
    ...oneAtATime,
    config: narrow,
    parameters: initParameters(narrow, 7, scheme),
    singleWeights: "int8",
  } as const;
  const [guessing, plain] = [aSampler({ ...own, speculate: true }), aSampler(own)];
  for (const sampler of [guessing, plain]) await started(sampler);
  const promptTokenIds = [1, 2, 3, 4, 5, 6, 1, 2, 3, 4];
  const requests = [
    { temperature: 0 },
    { temperature: 0.3, stopTokenIds: [7] },
    { temperature: 0.5, topP: 0.9 },
  ];
  for (const fields of requests) {
    const request = aRequest(3, 0, { promptTokenIds, maxTokens: 80, ...fields });
    const [fast, slow] = [await guessing.generate(request), await plain.generate(request)];
    expect(fast).toEqual(slow);
  }
  const { guessedTokens, rightGuesses } = guessing.stats;
  expect(rightGuesses).toBeGreaterThan(0);
  expect(rightGuesses).toBeLessThan(guessedTokens);
  expect(plain.stats.guessedTokens).toBe(0);
  await guessing.close();
  await plain.close();
});

test.each([
  ["bfloat16", 0.02],
  ["int8", 0.03],
] as const)("log-probs with weights of %s are within %d of float32's", async (singleWeights, bound) => {
  const alone = aSampler({ ...oneAtATime, singleWeights });
  await started(alone);
  const { plain } = shared;
  await plain.setWeights(parameters, 4);
  const request = aRequest(3, 100, { temperature: 0 });
  const [one, other] = [await alone.generate(request), await plain.generate(request)];
  const same = other.tokenIds.findIndex((id, i) => one.tokenIds[i] !== id);
  const count = same < 0 ? other.tokenIds.length : same;
  expect(count).toBeGreaterThan(5);
  for (let i = 0; i < count; i++)
    expect(Math.abs((one.rolloutLogprobs[i] as number) - (other.rolloutLogprobs[i] as number))).toBeLessThan(
      bound,
    );
  await alone.close();
});

test("is refused by name where it cannot be had", () => {
  expect(() => aSampler({ singleWeights: "int8", batchInvariant: true })).toThrow(/singleWeights is int8/);
  const odd = parseModelConfig({ ...config, intermediateSize: 120 });
  const of = { config: odd, parameters: initParameters(odd, 1) };
  expect(() => aSampler({ ...of, singleWeights: "int8" })).toThrow(/multiples of 64/);
  expect(() => aSampler({ cache: "slots", mode: "graph", singleWeights: "int8" })).toThrow(
    /needs cache pages/,
  );
});
