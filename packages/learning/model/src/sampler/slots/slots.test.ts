/** A sampler over a table of slots held against one over pages: the same requests, the same numbers. */

import { loadBackend } from "@palimpsest/jit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ModelConfigInput } from "../../base/config.js";
import { initParameters } from "../../base/parameters.js";
import { smallConfig } from "../../testing/index.js";
import type { GenerateRequest, GenerateResult } from "../draw/request.js";
import { createSampler, type ModelSampler, type ModelSamplerOptions } from "../model-sampler.js";

const vocabSize = 40;
const aConfig = (changes: Partial<ModelConfigInput> = {}) =>
  smallConfig({ architecture: "qwen3", vocabSize, heads: 4, kvHeads: 2, maxPositions: 128, ...changes });
const scheme = { projectionStd: 0.3, residualStd: 0.3, headStd: 0.4 };

const backend = await loadBackend();

function aSampler(changes: Partial<ModelSamplerOptions> = {}): ModelSampler {
  const config = changes.config ?? aConfig();
  const sampler = createSampler({
    backend,
    config,
    parameters: initParameters(config, 1, scheme),
    cache: "slots",
    maxBatch: 6,
    maxLength: 64,
    stepsPerCall: 4,
    promptLengths: [16],
    mode: "eager",
    decode: (ids) => ids.map((id) => String.fromCharCode(65 + id)).join(""),
    ...changes,
  });
  onTestFinished(() => sampler.close());
  return sampler;
}

/** Ragged prompts and replies: some share beginnings, each rule of truncation, greedy ones, stops of both kinds. */
const requests: readonly GenerateRequest[] = Array.from({ length: 14 }, (_, i) => {
  const own = Array.from({ length: 1 + ((i * 29) % 40) }, (_, t) => (i * 13 + t * t * 7 + t) % vocabSize);
  const shared = Array.from({ length: 30 }, (_, t) => (t * t * 5 + 3 * t) % vocabSize);
  const rules: readonly Partial<GenerateRequest>[] = [
    {},
    { topK: 5 },
    { topP: 0.8 },
    { temperature: 0 },
    { minP: 0.1 },
    { topK: 20, topP: 0.9, minP: 0.02, temperature: 0.7 },
    { logprobs: 3 },
  ];
  return {
    promptTokenIds: i % 5 < 2 ? [...shared, ...own.slice(0, 1 + (i % 10))] : own,
    maxTokens: 1 + ((i * 7) % 15),
    temperature: i % 2 === 0 ? 1 : 0.6,
    stopTokenIds: i % 4 === 1 ? [7, 21, 30] : [],
    ...(i % 6 === 4 ? { stop: ["B", "C"] } : {}),
    ...rules[i % rules.length],
    seed: i * 1000,
  };
});

const all = (sampler: ModelSampler, asked = requests) =>
  Promise.all(asked.map((request) => sampler.generate(request)));

function expectSame(some: readonly GenerateResult[], others: readonly GenerateResult[], bound = 2e-4): void {
  const tokens = (results: readonly GenerateResult[]) =>
    results.map(({ tokenIds, stopReason, stopString }) => ({ tokenIds, stopReason, stopString }));
  expect(tokens(some)).toEqual(tokens(others));
  const apart = (key: "rolloutLogprobs" | "sampledLogprobs") =>
    some.flatMap((result, i) =>
      result[key].map((logprob, t) => Math.abs(logprob - (others[i]?.[key][t] as number))),
    );
  expect(Math.max(...apart("rolloutLogprobs"))).toBeLessThan(bound);
  expect(Math.max(...apart("sampledLogprobs"))).toBeLessThan(bound);
}

const laidEndToEnd = { promptLengths: undefined, packPrompts: true };

describe("a table of slots", () => {
  // Truncation is many operations: one mode shows it, and truncated-draw.test.ts.
  it.each([
    ["eager", "qwen3", { kvHeads: 1, layers: 3 }, false],
    ["graph", "qwen2", { layers: 9 }, true],
    ["xla", "llama", { tieWordEmbeddings: true, kvHeads: 4 }, false],
  ] as const)(
    "samples what pages sample, in mode %s (%s)",
    async (mode, architecture, changes, isTruncated) => {
      const config = aConfig({ architecture, ...changes });
      const parameters = initParameters(config, 3, scheme);
      const asked = requests.filter(({ topK, topP, minP }) => isTruncated || !(topK || topP || minP));
      const pages = aSampler({ config, parameters, cache: "pages", maxBatch: 8 });
      const slots = aSampler({
        config,
        parameters,
        mode: backend.name === "tensorflow" ? mode : "eager",
        ...(mode === "xla" ? laidEndToEnd : {}),
      });
      // Compiling ahead changes nothing.
      await slots.prepare();
      if (slots.mode === "xla") expect(slots.functionStats["read_256"]?.calls).toBe(1);
      const [expected, got] = [await all(pages, asked), await all(slots, asked)];
      expectSame(got, expected);
      expect(got.map(({ topLogprobs }) => topLogprobs?.map(({ tokenIds }) => tokenIds))).toEqual(
        expected.map(({ topLogprobs }) => topLogprobs?.map(({ tokenIds }) => tokenIds)),
      );
      // Each again, in another order: now prompts lie in slots.
      expectSame(await all(slots, asked.toReversed()), expected.toReversed());
      expect(slots.stats.cachedTokens).toBeGreaterThan(60);
    },
  );

  it.each(["eager", "xla"] as const)(
    "samples in a few slots of many as in a table of few, with changed weights under way, in mode %s",
    async (mode) => {
      const common = {
        mode: backend.name === "tensorflow" ? mode : "eager",
        weightUpdates: "in-flight",
        stepsPerCall: 2,
      } as const;
      const [few, many] = [aSampler({ ...common, maxBatch: 3 }), aSampler({ ...common, maxBatch: 12 })];
      await many.prepare();
      const calls = (name: string) => many.functionStats[name]?.calls ?? 0;
      const prepared = calls("decode_4x2");
      const plain = requests.filter(({ topK, topP, minP }) => !(topK || topP || minP)).slice(0, 4);
      const asked = plain.map((request, i) => ({ ...request, seed: i, maxTokens: 14 }));
      const replies = [few, many].map((sampler) => all(sampler, asked));
      const [expected, got] = await Promise.all(replies);
      expectSame(got ?? [], expected ?? []);
      expect(calls("decode_4x2")).toBeGreaterThan(prepared);
      // What was read by old weights stays in the slots, wherever a call has their rows.
      const running = all(many, asked.slice(0, 3));
      while (many.stats.sampledTokens === 0 || many.stats.running < 3) await new Promise(setImmediate);
      await many.setWeights(initParameters(aConfig(), 2, scheme), 1, "changed");
      const results = await running;
      expect(results.some(({ versionRuns = [] }) => versionRuns.length > 1)).toBe(true);
      expect(calls("decode_12x2")).toBe(mode === "xla" ? 1 : 0);
    },
  );

  it.each([
    ["eager", "qwen2", {}],
    ["graph", "qwen3", { kvHeads: 1 }],
  ] as const)(
    "reads prompts laid end to end as it reads them padded, in mode %s (%s)",
    async (mode, architecture, changes) => {
      const config = aConfig({ architecture, ...changes });
      const parameters = initParameters(config, 5, scheme);
      const common = { config, parameters, mode: backend.name === "tensorflow" ? mode : "eager" } as const;
      const asked = requests.filter(
        ({ topK, topP, minP }, i) => mode === "graph" || i === 1 || !(topK || topP || minP),
      );
      const [padded, packed] = [aSampler(common), aSampler({ ...common, ...laidEndToEnd })];
      const [expected, got] = [await all(padded, asked), await all(packed, asked)];
      expectSame(got, expected);
      const read = (sampler: ModelSampler) =>
        Object.keys(sampler.functionStats).filter((name) => name.startsWith("read"));
      expect(read(packed)).toContain("read_256");
      expect(read(padded)).toContain("read_6x16");
      expectSame(await all(packed, asked.toReversed()), expected.toReversed());
      expect(packed.stats.cachedTokens).toBeGreaterThan(0);
    },
  );

  it("samples with the weights that a result names, changed between requests and under running ones (SAMPLER-2)", async () => {
    const second = initParameters(aConfig(), 2, scheme);
    const sampler = aSampler({ policyVersion: 4, maxBatch: 3, stepsPerCall: 2 });
    const plain = requests.filter((_, i) => i % 7 === 0 || i % 7 === 3);
    const old = plain.map((request) => sampler.generate(request));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(sampler.stats.running).toBe(3);
    const changed = sampler.setWeights(second, 5, "second");
    const later = plain.map((request) => sampler.generate(request));
    await changed;
    const results = await Promise.all([...old, ...later]);
    expect(new Set(results.map(({ policyVersion }) => policyVersion))).toEqual(new Set([4, 5]));
    const [before, after] = [
      await all(aSampler({ cache: "pages" }), plain),
      await all(aSampler({ cache: "pages", parameters: second }), plain),
    ];
    results.forEach((result, i) => {
      const from = result.policyVersion === 4 ? before : after;
      expectSame([result], [from[i % plain.length] as GenerateResult]);
      expect(result.weightsHash === "second").toBe(result.policyVersion === 5);
    });
    // The last ones waited for the new weights.
    expect(results.at(-1)?.policyVersion).toBe(5);
  });

  it("lets those go on that waited for the prompt of a request that was aborted (SAMPLER-4)", async () => {
    const sampler = aSampler({ prefillTokens: 32, promptLengths: [8, 16] });
    const promptTokenIds = Array.from({ length: 50 }, (_, t) => (t * 7) % vocabSize);
    const ask = (seed: number, signal?: AbortSignal) =>
      sampler.generate({ promptTokenIds, maxTokens: 6, temperature: 1, stopTokenIds: [], seed }, signal);
    const reader = new AbortController();
    const first = ask(1, reader.signal);
    const others = [2, 3, 4].map((seed) => ask(seed));
    while (sampler.stats.prefillTokens === 0) await new Promise(setImmediate);
    expect(sampler.stats.prefillTokens).toBe(32);
    reader.abort(new Error("no longer needed"));
    await expect(first).rejects.toThrow("no longer needed");
    const got = await Promise.all(others);
    const pages = aSampler({ cache: "pages" });
    const expected = [2, 3, 4].map((seed) =>
      pages.generate({ promptTokenIds, maxTokens: 6, temperature: 1, stopTokenIds: [], seed }),
    );
    expectSame(got, await Promise.all(expected));
    expect(sampler.stats.cachedTokens).toBeGreaterThan(49 + 31);
  });

  it("of bfloat16 samples from nearly the same distribution", async () => {
    if (backend.name !== "tensorflow") return;
    const config = aConfig({ architecture: "llama" });
    const parameters = initParameters(config, 1, { ...scheme, residualStd: 0.1 });
    const plain = requests.filter((_, i) => i % 7 === 0);
    const rounded = aSampler({ config, parameters, mode: "graph", precision: "bfloat16" });
    const got = await all(rounded, plain);
    // The same tokens again as a prompt, read in float32: one token after the other, greedily none is drawn.
    const exact = aSampler({ config, parameters, cache: "pages" });
    const differences: number[] = [];
    for (const [i, { tokenIds, rolloutLogprobs }] of got.entries())
      for (const [t, logprob] of rolloutLogprobs.entries()) {
        const before = [...(plain[i]?.promptTokenIds ?? []), ...tokenIds.slice(0, t)];
        const next = await exact.generate({
          promptTokenIds: before,
          maxTokens: 1,
          temperature: 0,
          stopTokenIds: [],
          seed: 0,
          logprobs: 20,
        });
        const [likeliest] = next.topLogprobs ?? [];
        const at = likeliest?.tokenIds.indexOf(tokenIds[t] as number) ?? -1;
        if (at >= 0) differences.push(Math.abs(logprob - (likeliest?.logprobs[at] as number)));
      }
    expect(differences.length).toBeGreaterThan(5);
    const mean = differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
    expect(mean).toBeLessThan(0.03);
    expect(mean).toBeGreaterThan(1e-5); // It did round.
  });

  it("is refused with settings that it does not know", () => {
    expect(() => aSampler({ lanes: 2 })).toThrow(
      /CONFIG_INVALID.*cache is slots, which needs lanes 1; set cache to pages/,
    );
    expect(() => aSampler({ batchInvariant: true })).toThrow(/CONFIG_INVALID.*cache is slots/);
  });
});
