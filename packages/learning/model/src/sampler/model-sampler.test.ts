import { loadBackend, tf } from "@palimpsest/jit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ModelConfigInput } from "../base/config.js";
import { hashWeights, initParameters, type Parameters, parameterShapes } from "../base/parameters.js";
import { forwardHidden, logitsOf } from "../forward/forward.js";
import { tokenLogprobs } from "../forward/token-logprobs.js";
import { smallConfig } from "../testing/index.js";
import type { GenerateRequest, GenerateResult } from "./draw/request.js";
import { createSampler, type ModelSampler, type ModelSamplerOptions } from "./model-sampler.js";

const vocabSize = 40;
const aConfig = (changes: Partial<ModelConfigInput> = {}) =>
  smallConfig({ architecture: "qwen3", vocabSize, heads: 4, kvHeads: 2, ...changes });

/** Sharp enough that greedy and sampled tokens differ from row to row. */
const scheme = { projectionStd: 0.3, residualStd: 0.3, headStd: 0.4 };

const aRequest = (changes: Partial<GenerateRequest> = {}): GenerateRequest => ({
  promptTokenIds: [3, 1, 4, 1, 5],
  maxTokens: 10,
  temperature: 1,
  stopTokenIds: [],
  seed: 7,
  ...changes,
});

/** Of nine layers, all but each third have a window. */
const ninth = Array.from({ length: 9 }, (_, layer) => layer % 3 !== 2);

/** Requests of many lengths, temperatures and seeds. */
const manyRequests = (count: number): GenerateRequest[] =>
  Array.from({ length: count }, (_, i) =>
    aRequest({
      promptTokenIds: Array.from({ length: 1 + ((i * 5) % 37) }, (_, t) => (i * 11 + t * t * 3) % vocabSize),
      maxTokens: 1 + (i % 13),
      temperature: [0, 0.7, 1, 1.5][i % 4] as number,
      stopTokenIds: i % 3 === 0 ? [2, 17] : [],
      seed: i * 1000,
    }),
  );

const withoutHash = ({ weightsHash: _, ...rest }: GenerateResult) => rest;

const backend = await loadBackend();

function aSampler(changes: Partial<ModelSamplerOptions> = {}): ModelSampler {
  const config = changes.config ?? aConfig();
  const sampler = createSampler({
    backend,
    config,
    parameters: initParameters(config, 1, scheme),
    maxBatch: 8,
    maxLength: 56,
    stepsPerCall: 4,
    mode: "eager", // Nothing to compile; what graphs compute is compared where numbers matter.
    ...changes,
  });
  onTestFinished(() => sampler.close());
  return sampler;
}

function tensorsOf(parameters: Parameters, config = aConfig()): Record<string, tf.Tensor> {
  const shapes = Object.entries(parameterShapes(config));
  return Object.fromEntries(
    shapes.map(([name, shape]) => [name, tf.tensor(parameters[name] as Float32Array, [...shape])]),
  );
}

/** The sampler's answer computed the long way: a whole forward pass per token, no cache. */
function greedyByForward(
  parameters: Parameters,
  prompt: readonly number[],
  count: number,
  config = aConfig(),
): number[] {
  return tf.tidy(() => {
    const weights = tensorsOf(parameters, config);
    const tokens = [...prompt];
    for (let i = 0; i < count; i++) {
      const hidden = forwardHidden(weights, tf.tensor2d([tokens], undefined, "int32"), config);
      const last = hidden
        .slice([0, tokens.length - 1, 0], [1, 1, config.hiddenSize])
        .reshape([1, config.hiddenSize]);
      tokens.push(logitsOf(weights, last, config).argMax(-1).dataSync()[0] as number);
    }
    return tokens.slice(prompt.length);
  });
}

function logprobsByForward(
  parameters: Parameters,
  prompt: readonly number[],
  sampled: readonly number[],
  config = aConfig(),
) {
  return tf.tidy(() => {
    const ids = tf.tensor2d([[...prompt, ...sampled]], undefined, "int32");
    return [...tokenLogprobs(tensorsOf(parameters, config), ids, config).dataSync()].slice(prompt.length - 1);
  });
}

describe("sampled tokens", () => {
  it.each([
    ["llama", { tieWordEmbeddings: true, kvHeads: 4 }],
    ["qwen2", { layers: 1 }],
    ["qwen3", { kvHeads: 1, layers: 3 }],
  ] as const)("are those of a full forward pass when greedy (%s)", async (architecture, changes) => {
    const config = aConfig({ architecture, ...changes });
    const parameters = initParameters(config, 3, scheme);
    const sampler = aSampler({ config, parameters, mode: "auto" });
    const prompts = [[1], [5, 6, 7], Array.from({ length: 33 }, (_, i) => (i * i) % vocabSize)];
    const results = await Promise.all(
      prompts.map((promptTokenIds) =>
        sampler.generate(aRequest({ promptTokenIds, temperature: 0, maxTokens: 11 })),
      ),
    );
    results.forEach((result, i) => {
      expect(result.tokenIds).toEqual(greedyByForward(parameters, prompts[i] as number[], 11, config));
    });
  });

  it.each(["graph", "eager"] as const)("carry the log-probabilities of tokenLogprobs (%s)", async (mode) => {
    const parameters = initParameters(aConfig(), 1, scheme);
    const sampler = aSampler({ parameters, mode: backend.name === "tensorflow" ? mode : "eager" });
    const requests = manyRequests(12);
    const results = await Promise.all(requests.map((request) => sampler.generate(request)));
    results.forEach((result, i) => {
      const expected = logprobsByForward(parameters, requests[i]?.promptTokenIds ?? [], result.tokenIds);
      expect(result.rolloutLogprobs).toHaveLength(result.tokenIds.length);
      result.rolloutLogprobs.forEach((logprob, t) => {
        expect(Math.abs(logprob - (expected[t] as number))).toBeLessThan(1e-4);
      });
    });
  });

  it.each([
    ["llama", {}],
    ["qwen2", { layers: 9, tieWordEmbeddings: true }],
    ["gemma3", { layers: 9, slidingWindow: { size: 5, layers: ninth, ropeTheta: 100 } }],
  ] as const)(
    "in bfloat16 carry log-probabilities near those of tokenLogprobs (%s)",
    async (architecture, changes) => {
      const config = aConfig({ architecture, ...changes });
      const parameters = initParameters(config, 1, { ...scheme, residualStd: 0.1 });
      const sampler = aSampler({ config, parameters, mode: "auto", precision: "bfloat16" });
      const requests = manyRequests(6);
      const results = await Promise.all(requests.map((request) => sampler.generate(request)));
      const differences = results.flatMap((result, i) => {
        const expected = logprobsByForward(
          parameters,
          requests[i]?.promptTokenIds ?? [],
          result.tokenIds,
          config,
        );
        return result.rolloutLogprobs.map((logprob, t) => Math.abs(logprob - (expected[t] as number)));
      });
      const mean = differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
      expect(mean).toBeLessThan(0.02);
      if (backend.name === "tensorflow") expect(mean).toBeGreaterThan(1e-5); // It did round.
    },
  );

  it("do not depend on batch mates, order of arrival, slots or steps per call (SAMPLER-1)", async () => {
    const requests = manyRequests(14);
    const together = aSampler({ mode: "auto" });
    const batched = await Promise.all(requests.map((request) => together.generate(request)));
    const alone = aSampler({ maxBatch: 4, stepsPerCall: 1, promptLengths: [16, 40] });
    const single: GenerateResult[] = [];
    for (const request of requests) single.push(await alone.generate(request));
    expect(batched.map(withoutHash).map((r) => r.tokenIds)).toEqual(single.map((r) => r.tokenIds));
    const late = aSampler({ maxBatch: 5, stepsPerCall: 3, mode: "auto" });
    const backwards = await Promise.all(
      requests.toReversed().map(async (request, i) => {
        if (i % 2 === 1) await late.generate(aRequest({ seed: i, maxTokens: 1 + (i % 5) }));
        return await late.generate(request);
      }),
    );
    expect(backwards.toReversed().map((r) => r.tokenIds)).toEqual(batched.map((r) => r.tokenIds));
  });

  it("follow the model's distribution at temperature 1 and a sharper one below", async () => {
    const parameters = initParameters(aConfig(), 1, scheme);
    const sampler = aSampler({ parameters, maxBatch: 64 });
    const prompt = [3, 1, 4];
    const expected = tf.tidy(() => {
      const hidden = forwardHidden(
        tensorsOf(parameters),
        tf.tensor2d([prompt], undefined, "int32"),
        aConfig(),
      );
      return [
        ...logitsOf(tensorsOf(parameters), hidden.slice([0, 2, 0]).reshape([1, 16]), aConfig()).dataSync(),
      ];
    });
    for (const temperature of [1, 0.5]) {
      const count = 1000;
      const counts = new Array<number>(vocabSize).fill(0);
      const results = await Promise.all(
        Array.from({ length: count }, (_, seed) =>
          sampler.generate(aRequest({ promptTokenIds: prompt, maxTokens: 1, temperature, seed })),
        ),
      );
      for (const { tokenIds } of results) (counts[tokenIds[0] as number] as number)++;
      const weights = expected.map((logit) => Math.exp(logit / temperature));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      // χ² over the tokens expected at least five times; its mean is their number, its deviation √(2·number).
      const cells = weights.map((weight, id) => [(weight / total) * count, counts[id] as number] as const);
      const likely = cells.filter(([mean]) => mean >= 5);
      const chiSquare = likely.reduce((sum, [mean, seen]) => sum + (seen - mean) ** 2 / mean, 0);
      expect(likely.length).toBeGreaterThan(5);
      expect(chiSquare).toBeLessThan(likely.length + 4 * Math.sqrt(2 * likely.length));
    }
  });

  it("end with a stop token, which is kept, or at maxTokens", async () => {
    const sampler = aSampler();
    const free = await sampler.generate(aRequest({ temperature: 0 }));
    expect(free.stopReason).toBe("length");
    expect(free.tokenIds).toHaveLength(10);
    const stopToken = free.tokenIds[5] as number;
    const first = free.tokenIds.indexOf(stopToken);
    const stopped = await sampler.generate(aRequest({ temperature: 0, stopTokenIds: [stopToken] }));
    expect(stopped.stopReason).toBe("stop");
    expect(stopped.tokenIds).toEqual(free.tokenIds.slice(0, first + 1));
  });

  it("reach to the last position that maxLength allows", async () => {
    const parameters = initParameters(aConfig(), 1, scheme);
    const sampler = aSampler({ parameters, maxLength: 40 });
    const promptTokenIds = Array.from({ length: 39 }, (_, i) => i % vocabSize);
    const short = await sampler.generate(aRequest({ promptTokenIds, maxTokens: 1, temperature: 0 }));
    expect(short.tokenIds).toEqual(greedyByForward(parameters, promptTokenIds, 1));
    const long = await sampler.generate(aRequest({ promptTokenIds: [9], maxTokens: 39, temperature: 0 }));
    expect(long.tokenIds).toEqual(greedyByForward(parameters, [9], 39));
  });
});

describe("lanes", () => {
  it.each([
    [2, 35],
    [9, 17],
  ])("of %i layers sample side by side what one lane samples (SAMPLER-1)", async (layers, count) => {
    const requests = manyRequests(count);
    const config = aConfig({ layers });
    const sample = async (lanes: number) => {
      const parameters = initParameters(config, 1, scheme);
      const sampler = aSampler({ config, parameters, maxBatch: count, lanes });
      return await Promise.all(requests.map((request) => sampler.generate(request)));
    };
    const [one, two] = [await sample(1), await sample(2)];
    expect(two.map(({ tokenIds }) => tokenIds)).toEqual(one.map(({ tokenIds }) => tokenIds));
    const difference = two.flatMap(({ rolloutLogprobs }, i) =>
      rolloutLogprobs.map((logprob, t) => Math.abs(logprob - (one[i]?.rolloutLogprobs[t] as number))),
    );
    expect(Math.max(...difference)).toBeLessThan(1e-4);
  });
});

describe("weights", () => {
  it("change the outputs, and results name the version and hash that sampled them (SAMPLER-2)", async () => {
    const [first, second] = [initParameters(aConfig(), 1, scheme), initParameters(aConfig(), 2, scheme)];
    const sampler = aSampler({ parameters: first, policyVersion: 5 });
    const before = await sampler.generate(aRequest());
    expect(before).toMatchObject({ policyVersion: 5, weightsHash: hashWeights(first) });
    await sampler.setWeights(second, 6, hashWeights(second));
    const after = await sampler.generate(aRequest());
    expect(after).toMatchObject({ policyVersion: 6, weightsHash: hashWeights(second) });
    expect(after.tokenIds).not.toEqual(before.tokenIds);
    expect(after.tokenIds).toEqual((await aSampler({ parameters: second }).generate(aRequest())).tokenIds);
  });

  it("wait for the running requests, and later requests wait for them (SAMPLER-2)", async () => {
    const second = initParameters(aConfig(), 2, scheme);
    const sampler = aSampler({ stepsPerCall: 1 });
    const running = sampler.generate(aRequest({ maxTokens: 20 }));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(sampler.stats.running).toBe(1);
    const changed = sampler.setWeights(second, 1);
    const later = sampler.generate(aRequest());
    const order: string[] = [];
    await Promise.all([
      running.then(() => order.push("running")),
      changed.then(() => order.push("changed")),
      later.then(() => order.push("later")),
    ]);
    expect(order).toEqual(["running", "changed", "later"]);
    expect((await running).policyVersion).toBe(0);
    expect((await later).policyVersion).toBe(1);
  });

  it("that follow each other without a pause starve no request: a full batch starts between two (SAMPLER-2)", async () => {
    const second = initParameters(aConfig(), 2, scheme);
    const sampler = aSampler({ maxBatch: 2 });
    let open = 12;
    const requests = manyRequests(open).map(async (request) => {
      const { policyVersion } = await sampler.generate({ ...request, stopTokenIds: [] });
      open -= 1;
      return policyVersion;
    });
    let swaps = 0;
    while (open > 0) await sampler.setWeights(second, ++swaps);
    const versions = await Promise.all(requests);
    // 12 requests, two at a time: six batches, each with weights of its own.
    const most = Math.max(...versions.map((version) => versions.filter((other) => other === version).length));
    expect(most).toBe(2);
    expect(new Set(versions).size).toBe(6);
    expect(swaps).toBeLessThanOrEqual(8);
  });

  it("are not starved by requests that never cease: they wait for those in flight alone (SAMPLER-2)", async () => {
    const second = initParameters(aConfig(), 2, scheme);
    const sampler = aSampler({ maxBatch: 2, stepsPerCall: 1 });
    let done = 0;
    let goOn = true;
    const askers = Array.from({ length: 6 }, async (_, i) => {
      for (let round = 0; goOn; round++) {
        await sampler.generate(aRequest({ seed: i + 10 * round, maxTokens: 1 + ((i + round) % 5) }));
        done += 1;
      }
    });
    for (let version = 1; version <= 5; version++) {
      const before = done;
      await sampler.setWeights(second, version);
      expect(done - before).toBeLessThanOrEqual(2);
      await new Promise(setImmediate);
    }
    goOn = false;
    await Promise.all(askers);
    expect(sampler.policyVersion).toBe(5);
  });

  describe.each(["pages", "slots"] as const)("in flight, with %s", (cache) => {
    const config = aConfig({ maxPositions: 256 });
    const [first, second] = [initParameters(config, 1, scheme), initParameters(config, 2, scheme)];
    const inFlight = {
      config,
      cache,
      weightUpdates: "in-flight",
      parameters: first,
      stepsPerCall: 2,
    } as const;

    it("change between two calls of a running reply, which names the version of each token (SAMPLER-2)", async () => {
      const sampler = aSampler(inFlight);
      let changed: Promise<void> | undefined;
      let seen = 0;
      const running = sampler.generate(
        aRequest({
          maxTokens: 40,
          onTokens: (tokens) => {
            seen += tokens.length;
            changed ??= seen < 10 ? undefined : sampler.setWeights(second, 3, hashWeights(second));
          },
        }),
      );
      const result = await running;
      await changed;
      const [before, after] = result.versionRuns ?? [];
      expect(result.versionRuns).toHaveLength(2);
      expect(before).toMatchObject({ policyVersion: 0 });
      expect(after).toMatchObject({ policyVersion: 3 });
      expect((before?.tokens ?? 0) + (after?.tokens ?? 0)).toBe(40);
      expect(before?.tokens).toBeLessThan(16);
      expect(result).toMatchObject({ policyVersion: 0, weightsHash: hashWeights(second) });
      // The tokens of the first run are the old weights' own; later ones are drawn with others.
      const old = await aSampler({ config, parameters: first, cache }).generate(aRequest({ maxTokens: 40 }));
      const split = before?.tokens ?? 0;
      expect(result.tokenIds.slice(0, split)).toEqual(old.tokenIds.slice(0, split));
      expect(result.tokenIds).not.toEqual(old.tokenIds);
    });

    it("leave nothing that old weights read to later requests (SAMPLER-2)", async () => {
      const sampler = aSampler({ ...inFlight, maxLength: 96 });
      const promptTokenIds = Array.from({ length: 48 }, (_, t) => (t * t * 3 + 5) % vocabSize);
      let changed: Promise<void> | undefined;
      const ask = (changes: Partial<GenerateRequest> = {}) =>
        sampler.generate(aRequest({ promptTokenIds, maxTokens: 40, ...changes }));
      const running = [1, 2, 3].map((seed) =>
        ask({
          seed,
          onTokens: () => {
            changed ??= sampler.setWeights(second, 1, hashWeights(second));
          },
        }),
      );
      for (const { versionRuns } of await Promise.all(running)) expect(versionRuns).toHaveLength(2);
      await changed;
      const shared = sampler.stats.cacheHits;
      const after = await ask();
      expect(sampler.stats.cacheHits).toBe(shared);
      const fresh = aSampler({ config, cache, parameters: second, maxLength: 96 });
      expect(after.tokenIds).toEqual(
        (await fresh.generate(aRequest({ promptTokenIds, maxTokens: 40 }))).tokenIds,
      );
      expect(after.versionRuns).toBeUndefined();
      // What the new weights read is kept as ever.
      await ask({ seed: 5 });
      expect(sampler.stats.cacheHits).toBeGreaterThan(shared);
    });

    it("wait for prompts that are half read, and starve nobody, however often they change (SAMPLER-2)", async () => {
      const sampler = aSampler({ ...inFlight, maxBatch: 3, prefillTokens: 32, maxLength: 160 });
      let open = 12;
      const requests = Array.from({ length: open }, async (_, i) => {
        const promptTokenIds = Array.from({ length: 100 }, (_, t) => (i + t * t) % vocabSize);
        const result = await sampler.generate(aRequest({ promptTokenIds, maxTokens: 12, seed: i }));
        open -= 1;
        return result;
      });
      let version = 0;
      while (open > 0) {
        version += 1;
        await sampler.setWeights(version % 2 === 0 ? first : second, version);
      }
      const results = await Promise.all(requests);
      expect(Math.max(...results.map(({ versionRuns = [] }) => versionRuns.length))).toBeGreaterThan(2);
      for (const { versionRuns = [], policyVersion, tokenIds } of results) {
        expect(tokenIds).toHaveLength(12);
        const versions = versionRuns.map((run) => run.policyVersion);
        expect(versions).toEqual(versions.toSorted((a, b) => a - b));
        if (versions.length > 0) expect(versions[0]).toBe(policyVersion);
      }
    });
  });

  it("that are NaN or of another shape are refused, and the old ones go on", async () => {
    const sampler = aSampler();
    const before = await sampler.generate(aRequest());
    const bad = initParameters(aConfig(), 2);
    (bad["embedding"] as Float32Array)[0] = Number.NaN;
    await expect(sampler.setWeights(bad, 1)).rejects.toMatchObject({ code: "NOT_FINITE" });
    await expect(sampler.setWeights({}, 1)).rejects.toMatchObject({ code: "TENSOR_MISSING" });
    expect(await sampler.generate(aRequest())).toEqual(before);
  });
});

describe("the queue", () => {
  it("refuses a request beyond maxQueue and changes nothing (SAMPLER-3)", async () => {
    const sampler = aSampler({ maxQueue: 3 });
    const accepted = [1, 2, 3].map((seed) => sampler.generate(aRequest({ seed })));
    await expect(sampler.generate(aRequest({ seed: 4 }))).rejects.toMatchObject({
      code: "QUEUE_FULL",
      retryable: true,
    });
    expect(sampler.stats.queueDepth).toBe(3);
    await Promise.all(accepted);
    await sampler.generate(aRequest({ seed: 4 }));
  });

  it("rejects an aborted request with the signal's reason, waiting or running (SAMPLER-4)", async () => {
    const sampler = aSampler({ maxBatch: 4, stepsPerCall: 1 });
    const others = [1, 2, 3].map((seed) => sampler.generate(aRequest({ seed, maxTokens: 12 })));
    const running = new AbortController();
    const waiting = new AbortController();
    const aborted = sampler.generate(aRequest({ seed: 9, maxTokens: 40 }), running.signal);
    const never = sampler.generate(aRequest({ seed: 10 }), waiting.signal);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(sampler.stats).toMatchObject({ running: 4, queueDepth: 1 });
    running.abort(new Error("no longer needed"));
    waiting.abort(new Error("nor this"));
    expect(sampler.stats).toMatchObject({ running: 3, queueDepth: 0 });
    await expect(aborted).rejects.toThrow("no longer needed");
    await expect(never).rejects.toThrow("nor this");
    const alone = aSampler();
    for (const [i, other] of others.entries()) {
      expect((await other).tokenIds).toEqual(
        (await alone.generate(aRequest({ seed: i + 1, maxTokens: 12 }))).tokenIds,
      );
    }
    await expect(sampler.generate(aRequest(), AbortSignal.abort(new Error("before")))).rejects.toThrow(
      "before",
    );
  });

  it("lets the event loop turn between device calls (SAMPLER-5)", async () => {
    const sampler = aSampler({ stepsPerCall: 1 });
    let turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await sampler.generate(aRequest({ maxTokens: 30 }));
    done = true;
    expect(turns).toBeGreaterThanOrEqual(30);
  });

  it("refuses a request that cannot be served, naming the field", async () => {
    const sampler = aSampler();
    const refusals: [string, Partial<GenerateRequest>][] = [
      ["promptTokenIds", { promptTokenIds: [] }],
      ["promptTokenIds", { promptTokenIds: [vocabSize] }],
      ["maxTokens", { maxTokens: 0 }],
      ["prompt \\+ maxTokens", { maxTokens: 52 }],
      ["temperature", { temperature: -1 }],
      ["topP", { topP: 0 }],
      ["topK", { topK: -1 }],
      ["minP", { minP: 2 }],
      ["logprobs", { logprobs: 21 }],
      ["stop", { stop: ["x"] }],
      ["seed", { seed: 0.5 }],
    ];
    for (const [field, changes] of refusals) {
      await expect(sampler.generate(aRequest(changes))).rejects.toThrow(
        new RegExp(`REQUEST_INVALID.*${field}`),
      );
    }
    expect(sampler.stats.deviceCalls).toBe(0);
  });

  it("refuses a configuration that the model cannot serve", () => {
    expect(() => aSampler({ maxLength: 65 })).toThrow(/CONFIG_INVALID.*maxLength 65.*maxPositions 64/);
    expect(() => aSampler({ maxBatch: 0 })).toThrow(/CONFIG_INVALID.*maxBatch: must be above 0; it is 0/);
    const misspelled = { maxBatch: 2, specualte: true };
    expect(() => aSampler(misspelled)).toThrow(/unknown key "specualte"; did you mean "speculate"\?/);
  });

  it("rejects everything with CLOSED once closed, twice without harm", async () => {
    const sampler = aSampler();
    const cut = sampler.generate(aRequest());
    const rejected = expect(cut).rejects.toMatchObject({ code: "CLOSED" });
    await sampler.close();
    await sampler.close();
    await rejected;
    await expect(sampler.generate(aRequest())).rejects.toMatchObject({ code: "CLOSED" });
    await expect(sampler.setWeights({}, 1)).rejects.toMatchObject({ code: "CLOSED" });
  });
});

describe("a sampler's resources", () => {
  it("do not grow with use and go with close", async () => {
    const before = tf.memory().numTensors;
    const sampler = aSampler({ mode: "eager" });
    await Promise.all(manyRequests(10).map((request) => sampler.generate(request)));
    const during = tf.memory().numTensors;
    await Promise.all(manyRequests(30).map((request) => sampler.generate(request)));
    await sampler.setWeights(initParameters(aConfig(), 9), 1);
    expect(tf.memory().numTensors).toBe(during);
    await sampler.close();
    expect(tf.memory().numTensors).toBe(before);
  });

  it("are counted in its stats", async () => {
    const sampler = aSampler();
    await Promise.all([1, 2, 3, 4].map((seed) => sampler.generate(aRequest({ seed }))));
    const { sampledTokens, prefillTokens, tokensPerSecond, secondsBusy, occupancy } = sampler.stats;
    expect(sampledTokens).toBe(40);
    expect(prefillTokens).toBe(20);
    expect(occupancy).toBe(0.5);
    expect(tokensPerSecond).toBeCloseTo(40 / secondsBusy);
  });
});
