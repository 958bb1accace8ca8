/** What a rollout actor reads of new weights: of a policy with adapters these alone, where its sampler merges them. */

import type { ActorContext } from "@palimpsest/client";
import { loadBackend } from "@palimpsest/jit";
import {
  hashWeights,
  initLora,
  initParameters,
  loraConfigSchema,
  loraForm,
  loraShapes,
  type ModelSampler,
  mergeLora,
  parameterShapes,
} from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { ownSampler } from "../engines/own-sampler.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { memoryObjects } from "../weights/memory-objects.fixture.js";
import { adaptersOf } from "../weights/policy-weights.js";
import { type ObjectAccess, publishWeights } from "../weights/weights.js";
import { RolloutWeights } from "./rollout-weights.js";

const model = smallConfig({
  vocabSize: 24,
  hiddenSize: 8,
  headDim: 4,
  intermediateSize: 12,
  tieWordEmbeddings: true,
  maxPositions: 32,
});
const lora = loraConfigSchema.parse({ rank: 2, alpha: 4 });
const base = initParameters(model, 1, { projectionStd: 0.3, residualStd: 0.3 });
const recipe = {
  rollout: { maxBatch: 2, maxTokens: 24, precision: "float32" },
  learner: { lora },
  train: { maxStaleness: 0 },
} as Recipe;
const request = { promptTokenIds: [3, 1], maxTokens: 8, temperature: 1, stopTokenIds: [], seed: 5 };

function someAdapters(seed: number) {
  const adapters = initLora(model, loraForm(lora), seed);
  for (const [name, values] of Object.entries(adapters))
    if (name.endsWith(".loraB")) values.set(values.map((_, i) => Math.sin(i + seed)));
  return adapters;
}

/** A run's store and its announcements. */
async function aRun() {
  const store = memoryObjects();
  const read: string[] = [];
  const memory: { targets: ArrayBufferLike[]; onRead: () => Promise<void> } = {
    targets: [],
    onRead: async () => undefined,
  };
  const objects: ObjectAccess = {
    put: store.put,
    getInto: async (location, targets) => {
      read.push(location.objectId);
      memory.targets.push(...targets.map(({ buffer }) => buffer));
      await store.getInto(location, targets);
      await memory.onRead();
    },
  };
  const metrics = { histogram: () => ({ observe: () => undefined }) };
  const initial = await publishWeights(
    objects,
    { runId: "run", policyVersion: 0 },
    base,
    parameterShapes(model),
  );
  let announced: Uint8Array | undefined;
  const queues = {
    currentWeights: async () => announced,
    onWeights: async (seen: (bytes: Uint8Array) => void) => {
      if (announced !== undefined) seen(announced);
      return { close: async () => undefined };
    },
  };
  const announce = async (
    policyVersion: number,
    adapters: Readonly<Record<string, Float32Array>>,
    baseHash = initial.weightsHash,
  ) => {
    const shapes = loraShapes(model, loraForm(lora));
    const manifest = await publishWeights(objects, { runId: "run", policyVersion }, adapters, shapes, {
      adapters: adaptersOf(lora, baseHash),
    });
    announced = proto.WeightManifest.encode(manifest).finish();
    return manifest;
  };
  const announceWhole = async (
    policyVersion: number,
    parameters: Readonly<Record<string, Float32Array>>,
    options: Parameters<typeof publishWeights>[4] = {},
  ) => {
    const version = { runId: "run", policyVersion };
    const manifest = await publishWeights(objects, version, parameters, parameterShapes(model), options);
    announced = proto.WeightManifest.encode(manifest).finish();
  };
  const logger = { warn: () => undefined };
  const context = { objects, metrics, logger } as unknown as ActorContext;
  const weights = (sampler: () => ModelSampler) =>
    new RolloutWeights({ model, initial, context, queues, sampler });
  return { initial, read, memory, announce, announceWhole, weights };
}

test("of new adapters a sampler is given these alone, and samples what the merged model samples (ADAPTED-2, ROLLOUTACTOR-1, ROLLOUTACTOR-2)", async () => {
  const backend = await loadBackend();
  const run = await aRun();
  let sampler: ModelSampler | undefined;
  const weights = run.weights(() => sampler as ModelSampler);
  await run.announce(3, someAdapters(1));
  sampler = await ownSampler(backend, model, recipe, await weights.startingLayers());
  onTestFinished(() => sampler.close());
  expect(sampler).toMatchObject({ policyVersion: 3, weightsHash: hashWeights(someAdapters(1)) });

  const second = someAdapters(2);
  const { shards } = await run.announce(4, second);
  run.read.length = 0;
  await Promise.all([weights.ensure(4), weights.ensure(3), weights.ensure(4)]);
  expect(run.read).toEqual(shards.map(({ objectId }) => objectId));
  expect(sampler).toMatchObject({ policyVersion: 4, weightsHash: hashWeights(second) });

  const merged = await ownSampler(
    backend,
    model,
    { ...recipe, learner: { ...recipe.learner, lora: null } },
    { manifest: run.initial, parameters: mergeLora(model, base, second, lora), adapters: undefined },
  );
  onTestFinished(() => merged.close());
  const [own, expected] = [await sampler.generate(request), await merged.generate(request)];
  expect(own.tokenIds).toEqual(expected.tokenIds);
  own.rolloutLogprobs.forEach((logprob, i) => {
    expect(logprob).toBeCloseTo(expected.rolloutLogprobs[i] as number, 4);
  });
});

test("announced weights that are lost are waited for until they are announced again (ROLLOUTACTOR-3)", async () => {
  const backend = await loadBackend();
  const run = await aRun();
  let sampler: ModelSampler | undefined;
  const weights = run.weights(() => sampler as ModelSampler);
  sampler = await ownSampler(backend, model, recipe, await weights.startingLayers());
  onTestFinished(() => sampler.close());
  const { publishedAtMs } = await run.announce(1, someAdapters(1));
  run.memory.onRead = async () => {
    run.memory.onRead = async () => undefined;
    while (Date.now() <= publishedAtMs) await new Promise(setImmediate);
    await run.announce(2, someAdapters(2));
    throw new PalimpsestError("OBJECT_LOST", "no node has the object");
  };
  await weights.ensure(1);
  expect(sampler).toMatchObject({ policyVersion: 2, weightsHash: hashWeights(someAdapters(2)) });
});

test("T5: adapters over another base are not loaded, and the sampler keeps what it has", async () => {
  const backend = await loadBackend();
  const run = await aRun();
  let sampler: ModelSampler | undefined;
  const weights = run.weights(() => sampler as ModelSampler);
  sampler = await ownSampler(backend, model, recipe, await weights.startingLayers());
  onTestFinished(() => sampler.close());
  await run.announce(1, someAdapters(1), "0".repeat(64));
  await expect(weights.ensure(1)).rejects.toThrow(/CODEC.*but the run's base is/);
  expect(sampler).toMatchObject({ policyVersion: 0, weightsHash: run.initial.weightsHash });
});

test("whole weights are read into the arrays of the version before, which the sampler goes on to sample (ROLLOUTWEIGHTS-1)", async () => {
  const backend = await loadBackend();
  const run = await aRun();
  const versions = [1, 2, 3].map((seed) =>
    initParameters(model, seed + 1, { projectionStd: 0.3, residualStd: 0.3 }),
  );
  const whole = { ...recipe, learner: { ...recipe.learner, lora: null } } as Recipe;
  let sampler: ModelSampler | undefined;
  const weights = run.weights(() => sampler as ModelSampler);
  sampler = await ownSampler(backend, model, whole, { ...(await weights.starting()), adapters: undefined });
  onTestFinished(() => sampler.close());
  const arrays: ArrayBufferLike[][] = [];
  for (const [index, parameters] of versions.entries()) {
    const before = await sampler.generate(request);
    await run.announceWhole(index + 1, parameters);
    run.memory.targets = [];
    // The new weights lie in the arrays of before, and the sampler has not taken them over yet.
    run.memory.onRead = async () => {
      expect((await sampler?.generate(request))?.rolloutLogprobs).toEqual(before.rolloutLogprobs);
    };
    await weights.ensure(index + 1);
    run.memory.onRead = async () => undefined;
    arrays.push([...new Set(run.memory.targets)]);
    expect(sampler.weightsHash).toBe(hashWeights(parameters));
    expect((await sampler.generate(request)).rolloutLogprobs).not.toEqual(before.rolloutLogprobs);
  }
  for (const later of arrays.slice(1))
    for (const [index, buffer] of later.entries()) expect(buffer === arrays[0]?.[index]).toBe(true);
});

test("parts of weights are fetched before they are announced, into the arrays of before, and sampled only afterwards (ROLLOUTWEIGHTS-2)", async () => {
  const backend = await loadBackend();
  const run = await aRun();
  const whole = { ...recipe, learner: { ...recipe.learner, lora: null } } as Recipe;
  let sampler: ModelSampler | undefined;
  const weights = run.weights(() => sampler as ModelSampler);
  sampler = await ownSampler(backend, model, whole, { ...(await weights.starting()), adapters: undefined });
  onTestFinished(() => sampler.close());
  const [first, second] = [2, 3].map((seed) =>
    initParameters(model, seed, { projectionStd: 0.3, residualStd: 0.3 }),
  );
  await run.announceWhole(1, first ?? {});
  await weights.ensure(1);
  const before = new Set(run.memory.targets);
  run.memory.targets = [];
  run.read.length = 0;
  await run.announceWhole(2, second ?? {}, {
    leafBytes: 512,
    onStored: async (stored) => await weights.foretold(proto.WeightManifest.encode(stored).finish()),
  });
  expect(run.read.length).toBeGreaterThan(0);
  expect(sampler).toMatchObject({ policyVersion: 1, weightsHash: hashWeights(first ?? {}) });
  await weights.ensure(2);
  expect(new Set(run.read).size).toBe(run.read.length);
  expect(sampler).toMatchObject({ policyVersion: 2, weightsHash: hashWeights(second ?? {}, 512) });
  expect(run.memory.targets.every((buffer) => before.has(buffer))).toBe(true);
  // What comes late is not fetched again.
  run.read.length = 0;
  await weights.foretold(
    proto.WeightManifest.encode({ ...run.initial, policyVersion: 2, weightsHash: "" }).finish(),
  );
  expect(run.read).toEqual([]);
});

test("a sampler is told of tensors as they are there, before they are announced, and forgets what changed (ROLLOUTWEIGHTS-2)", async () => {
  const backend = await loadBackend();
  const run = await aRun();
  const whole = { ...recipe, learner: { ...recipe.learner, lora: null } } as Recipe;
  let sampler: ModelSampler | undefined;
  const told: string[] = [];
  let forgot = 0;
  const weights = run.weights(() => {
    const own = sampler as ModelSampler;
    own.stageWeights = (_, names) => {
      const all = [...names];
      expect(all).toEqual(expect.arrayContaining(told));
      told.splice(0, told.length, ...all);
    };
    own.forgetStaged = () => {
      forgot += 1;
    };
    return own;
  });
  sampler = await ownSampler(backend, model, whole, { ...(await weights.starting()), adapters: undefined });
  onTestFinished(() => sampler.close());
  const second = initParameters(model, 3, { projectionStd: 0.3, residualStd: 0.3 });
  const options = {
    leafBytes: 512,
    onStored: async (some: proto.WeightManifest) =>
      await weights.foretold(proto.WeightManifest.encode(some).finish()),
  };
  const all = Object.keys(second).length;
  await run.announceWhole(1, second, options);
  await vi.waitFor(() => expect(told).toHaveLength(all));
  expect(sampler.policyVersion).toBe(0);
  await weights.ensure(1);
  expect([sampler.weightsHash, forgot]).toEqual([hashWeights(second, 512), 0]);
  // The learner that told of version 2 died, and the next one publishes other weights as version 2.
  const [dead, living] = [initParameters(model, 4), initParameters(model, 5)];
  told.length = 0;
  await run.announceWhole(2, dead, options);
  await vi.waitFor(() => expect(told).toHaveLength(all));
  await run.announceWhole(2, living, { leafBytes: 512 });
  await weights.ensure(2);
  expect([sampler.weightsHash, forgot]).toEqual([hashWeights(living, 512), 1]);
});

test("weights that their publisher found finite are not checked again (PUBLISH-5)", async () => {
  const backend = await loadBackend();
  const run = await aRun();
  const whole = { ...recipe, learner: { ...recipe.learner, lora: null } } as Recipe;
  let sampler: ModelSampler | undefined;
  const weights = run.weights(() => sampler as ModelSampler);
  sampler = await ownSampler(backend, model, whole, { ...(await weights.starting()), adapters: undefined });
  onTestFinished(() => sampler.close());
  const broken = { ...base, finalNorm: new Float32Array(model.hiddenSize).fill(Number.NaN) };
  await run.announceWhole(1, broken);
  await expect(weights.ensure(1)).rejects.toMatchObject({ code: "NOT_FINITE" });
  await run.announceWhole(2, broken, { isFinite: true });
  await weights.ensure(2);
  expect(sampler.policyVersion).toBe(2);
});
