import { loadBackend } from "@palimpsest/jit";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { initParameters } from "../base/parameters.js";
import { smallConfig } from "../testing/index.js";
import type { GenerateRequest, GenerateResult } from "./draw/request.js";
import { createSampler, type ModelSampler, type ModelSamplerOptions } from "./model-sampler.js";

const vocabSize = 40;
const aConfig = (layers: number) =>
  smallConfig({ vocabSize, layers, heads: 4, kvHeads: 2, maxPositions: 512 });
/** Sharp enough that tokens differ from prompt to prompt. */
const scheme = { projectionStd: 0.3, residualStd: 0.3, headStd: 0.4 };
const letters = "abcdefghijklmnopqrstuvwxyz ,.!?-:;()0123";
const decode = (tokenIds: readonly number[]) => tokenIds.map((id) => letters[id]).join("");

const aPrompt = (length: number, seed: number) =>
  Array.from({ length }, (_, t) => (seed * 11 + t * t * 3 + t * seed) % vocabSize);
const aRequest = (changes: Partial<GenerateRequest> = {}): GenerateRequest => ({
  promptTokenIds: aPrompt(5, 1),
  maxTokens: 6,
  temperature: 1,
  stopTokenIds: [],
  seed: 7,
  ...changes,
});
const tokensOf = (results: readonly GenerateResult[]) => results.map(({ tokenIds }) => tokenIds);

const backend = await loadBackend();

function newSampler(changes: Partial<ModelSamplerOptions>): ModelSampler {
  const config = changes.config ?? aConfig(2);
  return createSampler({
    backend,
    config,
    parameters: initParameters(config, 1, scheme),
    maxBatch: 4,
    maxLength: 300,
    stepsPerCall: 4,
    prefillTokens: 64,
    mode: "eager",
    decode,
    ...changes,
  });
}

function aSampler(changes: Partial<ModelSamplerOptions> = {}): ModelSampler {
  const sampler = newSampler(changes);
  onTestFinished(() => sampler.close());
  return sampler;
}

/** Graphs over models of these depths, which several tests ask: each takes seconds to load. */
const graphs = new Map<number, ModelSampler>();
afterAll(async () => {
  for (const sampler of graphs.values()) await sampler.close();
});

function sharedGraph(layers: number): ModelSampler {
  const known = graphs.get(layers);
  if (known !== undefined) return known;
  const sampler = newSampler({
    config: aConfig(layers),
    mode: backend.name === "tensorflow" ? "graph" : "eager",
  });
  graphs.set(layers, sampler);
  return sampler;
}

describe("a long prompt", () => {
  it.each([
    ["layers written out", 2],
    ["layers as a loop", 9],
  ])("is read in pieces with the same outcome as at once (%s)", async (_, layers) => {
    const config = aConfig(layers);
    const requests = [40, 64, 65, 130, 257].map((length, i) =>
      aRequest({ promptTokenIds: aPrompt(length, i), seed: i, temperature: i % 2 }),
    );
    const pieces = sharedGraph(layers);
    const before = pieces.stats.prefillTokens;
    const whole = aSampler({ config, prefillTokens: 512 });
    const inPieces = await Promise.all(requests.map((request) => pieces.generate(request)));
    const atOnce = await Promise.all(requests.map((request) => whole.generate(request)));
    expect(tokensOf(inPieces)).toEqual(tokensOf(atOnce));
    inPieces.forEach(({ rolloutLogprobs }, i) => {
      rolloutLogprobs.forEach((logprob, t) => {
        expect(logprob).toBeCloseTo(atOnce[i]?.rolloutLogprobs[t] as number, 4);
      });
    });
    expect(pieces.stats.prefillTokens - before).toBe(whole.stats.prefillTokens);
  });

  it("keeps requests that sample waiting for one piece at most (SAMPLER-7)", async () => {
    const sampler = aSampler({ stepsPerCall: 1, prefixCache: false });
    const readBefore: number[] = [];
    const running = sampler.generate(
      aRequest({ maxTokens: 40, onTokens: () => readBefore.push(sampler.stats.prefillTokens) }),
    );
    while (readBefore.length < 3) await new Promise(setImmediate);
    const long = [1, 2, 3].map((seed) =>
      sampler.generate(aRequest({ promptTokenIds: aPrompt(290, seed), maxTokens: 1 })),
    );
    await Promise.all([running, ...long]);
    const between = readBefore.slice(1).map((tokens, i) => tokens - (readBefore[i] as number));
    expect(Math.max(...between)).toBe(64);
    expect(between.filter((tokens) => tokens > 0).length).toBeGreaterThanOrEqual(12);
  });
});

describe("prompts that begin alike", () => {
  const group = Array.from({ length: 6 }, (_, i) => [...aPrompt(70, 8), ...aPrompt(1 + i * 3, i)]);

  it.each([
    ["eager", 2],
    ["graph", 2],
    ["graph", 9],
  ] as const)(
    "sample the same tokens with and without sharing (SAMPLER-1; %s, %i layers)",
    async (mode, layers) => {
      const config = aConfig(layers);
      const how = { config, mode: backend.name === "tensorflow" ? mode : ("eager" as const) };
      const shared = mode === "graph" ? sharedGraph(layers) : aSampler(how);
      const before = shared.stats;
      const apart = aSampler({ ...how, prefixCache: false });
      const requests = group.map((promptTokenIds, seed) => aRequest({ promptTokenIds, seed }));
      const all = (sampler: ModelSampler) =>
        Promise.all(requests.map((request) => sampler.generate(request)));
      expect(tokensOf(await all(shared))).toEqual(tokensOf(await all(apart)));
      const { cacheHits, cachedTokens, startedRequests, prefillTokens } = shared.stats;
      expect(cacheHits - before.cacheHits).toBe(5);
      expect(cachedTokens - before.cachedTokens).toBe(5 * 64);
      expect(startedRequests - before.startedRequests).toBe(6);
      expect(prefillTokens - before.prefillTokens).toBe(apart.stats.prefillTokens - 5 * 64);
      expect(apart.stats).toMatchObject({ cacheHits: 0, cachedTokens: 0 });
      // And again, from what the first ones left behind.
      expect(tokensOf(await all(shared))).toEqual(tokensOf(await all(apart)));
      expect(shared.stats.cacheHits - before.cacheHits).toBe(11);
    },
  );

  it("go on from a whole conversation, what was sampled in it too", async () => {
    const sampler = aSampler();
    const prompt = aPrompt(30, 2);
    const first = await sampler.generate(aRequest({ promptTokenIds: prompt, maxTokens: 20 }));
    const second = aRequest({ promptTokenIds: [...prompt, ...first.tokenIds, 4, 5] });
    const answer = await sampler.generate(second);
    expect(sampler.stats.cachedTokens).toBe(48);
    expect(answer.tokenIds).toEqual((await aSampler({ prefixCache: false }).generate(second)).tokenIds);
  });

  it("begin anew when the one who reads for them is aborted", async () => {
    const sampler = aSampler();
    const left = new AbortController();
    const prompt = aPrompt(250, 5);
    const reader = sampler.generate(aRequest({ promptTokenIds: prompt }), left.signal);
    const others = [1, 2].map((seed) => sampler.generate(aRequest({ promptTokenIds: prompt, seed })));
    while (sampler.stats.prefillTokens === 0) await new Promise(setImmediate);
    left.abort(new Error("enough"));
    await expect(reader).rejects.toThrow("enough");
    const alone = aSampler({ prefixCache: false });
    for (const [i, other] of others.entries()) {
      const expected = await alone.generate(aRequest({ promptTokenIds: prompt, seed: i + 1 }));
      expect((await other).tokenIds).toEqual(expected.tokenIds);
    }
  });

  it("share nothing across new weights (SAMPLER-2)", async () => {
    const sampler = aSampler();
    const request = aRequest({ promptTokenIds: aPrompt(100, 5) });
    await sampler.generate(request);
    const parameters = initParameters(aConfig(2), 2, scheme);
    await sampler.setWeights(parameters, 1);
    const after = await sampler.generate(request);
    expect(sampler.stats.cacheHits).toBe(0);
    expect(after.tokenIds).toEqual((await aSampler({ parameters }).generate(request)).tokenIds);
  });

  it("wait for pages where the cache is smaller than the batch, and all are served (SAMPLER-6)", async () => {
    const small = aSampler({ cacheTokens: 320 });
    const requests = Array.from({ length: 12 }, (_, i) =>
      aRequest({ promptTokenIds: aPrompt(90 + i, i % 3), seed: i }),
    );
    const results = await Promise.all(requests.map((request) => small.generate(request)));
    const large = aSampler({ prefixCache: false });
    const expected = await Promise.all(requests.map((request) => large.generate(request)));
    expect(tokensOf(results)).toEqual(tokensOf(expected));
    expect(small.stats.running + small.stats.queueDepth).toBe(0);
  });
});

describe("a request's settings", () => {
  it("truncate its own draws and nobody else's", async () => {
    const sampler = aSampler();
    const plain = aRequest({ maxTokens: 12 });
    const [mixed, greedy, ...truncated] = await Promise.all([
      sampler.generate(plain),
      sampler.generate({ ...plain, temperature: 0 }),
      sampler.generate({ ...plain, topK: 1, logprobs: 3 }),
      sampler.generate({ ...plain, topP: 1e-9 }),
      sampler.generate({ ...plain, minP: 1 }),
    ]);
    expect(mixed.tokenIds).toEqual((await aSampler().generate(plain)).tokenIds);
    expect(mixed.tokenIds).not.toEqual(greedy.tokenIds);
    for (const { tokenIds, sampledLogprobs, rolloutLogprobs } of truncated) {
      expect(tokenIds).toEqual(greedy.tokenIds);
      expect(sampledLogprobs.every((logprob) => Math.abs(logprob) < 1e-6)).toBe(true);
      rolloutLogprobs.forEach((logprob, t) => {
        expect(logprob).toBeCloseTo(greedy.rolloutLogprobs[t] as number, 4);
      });
    }
    const [top] = truncated[0]?.topLogprobs ?? [];
    expect(top?.tokenIds[0]).toBe(greedy.tokenIds[0]);
    expect(top?.logprobs).toHaveLength(3);
    expect(mixed.topLogprobs).toBeUndefined();
  });

  it("give log-probabilities before and after temperature", async () => {
    const sampler = aSampler();
    const one = await sampler.generate(aRequest({ maxTokens: 12 }));
    one.sampledLogprobs.forEach((logprob, t) => {
      expect(logprob).toBeCloseTo(one.rolloutLogprobs[t] as number, 5);
    });
    const cold = await sampler.generate(aRequest({ maxTokens: 12, temperature: 0.5 }));
    const byHost = await sampler.generate(aRequest({ maxTokens: 12, temperature: 0.5, logprobs: 20 }));
    cold.tokenIds.forEach((id, t) => {
      const { tokenIds, logprobs } = byHost.topLogprobs?.[t] ?? { tokenIds: [], logprobs: [] };
      if (byHost.tokenIds[t] !== id) throw new Error("host and device draw another token");
      expect(cold.sampledLogprobs[t]).toBeCloseTo(byHost.sampledLogprobs[t] as number, 4);
      const place = tokenIds.indexOf(id);
      if (place >= 0) expect(cold.rolloutLogprobs[t]).toBeCloseTo(logprobs[place] as number, 4);
    });
  });

  it("stop at a text across the borders of tokens, which is kept and named", async () => {
    const sampler = aSampler();
    const free = await sampler.generate(aRequest({ maxTokens: 30 }));
    const text = decode(free.tokenIds);
    const stop = text.slice(9, 13);
    const stopped = await sampler.generate(aRequest({ maxTokens: 30, stop: ["zzzz", stop] }));
    expect(stopped).toMatchObject({ stopReason: "stop", stopString: stop });
    expect(decode(stopped.tokenIds)).toBe(text.slice(0, text.indexOf(stop) + 4));
  });

  it("stream the tokens once and in order; a reader that throws ends its own request only", async () => {
    const sampler = aSampler();
    const streamed: number[] = [];
    const steps: number[] = [];
    const [result, failed, mate] = await Promise.allSettled([
      sampler.generate(
        aRequest({
          maxTokens: 11,
          onTokens: (ids) => {
            streamed.push(...ids);
            steps.push(ids.length);
          },
        }),
      ),
      sampler.generate(
        aRequest({
          onTokens: () => {
            throw new Error("reader is gone");
          },
        }),
      ),
      sampler.generate(aRequest({ seed: 3 })),
    ]);
    expect(result).toMatchObject({ value: { tokenIds: streamed } });
    expect(steps).toEqual([1, 4, 4, 2]);
    expect(failed).toMatchObject({ reason: { message: "reader is gone" } });
    expect(mate.status).toBe("fulfilled");
    expect(sampler.stats).toMatchObject({ running: 0, queueDepth: 0 });
  });

  it("abort others from within a stream without a trace", async () => {
    const sampler = aSampler();
    const left = new AbortController();
    const others = [1, 2, 3].map((seed) => sampler.generate(aRequest({ seed }), left.signal));
    const one = sampler.generate(aRequest({ onTokens: () => left.abort(new Error("all of you")) }));
    const outcomes = await Promise.allSettled(others);
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    expect((await one).tokenIds).toEqual((await aSampler().generate(aRequest())).tokenIds);
    expect(sampler.stats.running).toBe(0);
  });
});
