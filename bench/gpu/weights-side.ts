/**
 * The learner or one sampler of bench/gpu/weights.ts, in its own process. Its argument says which; each line of standard input makes it
 * publish, or sample until it has loaded what is published next, and each answer is a line of JSON.
 */
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { grpcNetwork } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { gpuUsedMemory, loadBackend } from "../../packages/learning/jit/src/index.js";
import { createLearner, type PublishedTensor } from "../../packages/learning/learner/src/index.js";
import {
  createSampler,
  type ModelSampler,
  parseModelConfig,
} from "../../packages/learning/model/src/index.js";
import { RolloutWeights } from "../../packages/learning/trainer/src/actors/rollout-weights.js";
import { locationOf } from "../../packages/learning/trainer/src/weights/object-location.js";
import { publishTensors, weightsBytes } from "../../packages/learning/trainer/src/weights/weights.js";
import { RunQueues } from "../../packages/learning/trajectories/src/index.js";
import { type ActorContext, Objects } from "../../packages/runtime/client/src/index.js";
import { quickParameters } from "../model/quick-parameters.js";

export interface Published {
  readonly bytes: number;
  readonly weightsHash: string;
  /** When it began, and when the weights were announced: milliseconds since 1970. */
  readonly beganAtMs: number;
  readonly announcedAtMs: number;
  /** The time in which the learner's thread read from the device, and the part of it in which it copied what TensorFlow had read. */
  readonly readSeconds: number;
  readonly copySeconds: number;
  /** The time in which any shard was being stored: written, hashed and named. */
  readonly storeSeconds: number;
  /** Until the last piece was read, until the last shard was stored. */
  readonly lastReadSeconds: number;
  readonly lastStoredSeconds: number;
}

export interface Loaded {
  readonly weightsHash: string;
  readonly loadedAtMs: number;
  /** The longest time in which the event loop did not run. */
  readonly loopStallMs: number;
  /** The longest time without a sampled token, of 8 requests one after another; 0 for the first weights. */
  readonly sampleStallMs: number;
  /** The time in which any shard was being fetched into the arrays of this process, as pages or copied. */
  readonly mapSeconds: number;
  /** When the last shard was there, and from when on the sampler had all weights, in milliseconds since 1970. */
  readonly mappedAtMs: number;
  readonly givenAtMs: number;
  /** From then until the sampler had changed them: waiting for its calls, copying to the device, switching. */
  readonly changeSeconds: number;
  /** The part of it in which the sampler's thread copied to the device. */
  readonly uploadSeconds: number;
  /** Tokens per second meanwhile, from the learner's first read on. */
  readonly tokensPerSecond: number;
  /** What the sampler says with the weights, which must be the same everywhere. */
  readonly tokens: readonly number[];
}

const given = JSON.parse(process.argv[2] ?? "{}") as {
  readonly role: "learner" | "sampler";
  readonly model: object;
  readonly type: "float32" | "bfloat16";
  readonly updates: "in-flight" | "staged";
  readonly address: string;
  readonly token: string;
  readonly holder: string;
  readonly redisUrl: string;
};
const objects = new Objects({
  address: async () => given.address,
  network: grpcNetwork({ token: given.token }),
  holder: given.holder,
  defaultTimeoutMs: 120_000,
});
const queues = await RunQueues.open({ redisUrl: given.redisUrl, runId: "bench" });
const backend = await loadBackend({ prefer: "tensorflow" });
const model = parseModelConfig({ ...given.model, maxPositions: 512 });

/** Counts the time in which any of what it is given runs. */
class Meter {
  #running = 0;
  #startedAt = 0;
  #ms = 0;
  endedAtMs = 0;

  async over<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#running++ === 0) this.#startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.endedAtMs = Date.now();
      if (--this.#running === 0) this.#ms += performance.now() - this.#startedAt;
    }
  }

  /** Begins again. @returns seconds */
  take(): number {
    const seconds = this.#ms / 1000;
    this.#ms = 0;
    return seconds;
  }
}

/** Has a function of the addon say how long such calls of it took. @returns takes the seconds so far */
function timed(
  name: "copyTensorData" | "runSavedModel",
  counts: (given: unknown[]) => boolean,
): () => number {
  const { binding } = backend.tf.findBackend("tensorflow") as unknown as {
    readonly binding: Record<string, (...given: unknown[]) => unknown>;
  };
  const own = binding[name];
  let ms = 0;
  binding[name] = (...given) => {
    const startedAt = performance.now();
    const result = own?.apply(binding, given);
    if (counts(given)) ms += performance.now() - startedAt;
    return result;
  };
  return () => {
    const seconds = ms / 1000;
    ms = 0;
    return seconds;
  };
}

/** Works, and measures the longest time in which the event loop did not run, milliseconds. */
async function watched(work: () => Promise<void>): Promise<number> {
  let working = true;
  let stallMs = 0;
  const watching = (async () => {
    for (let last = performance.now(); working; ) {
      await setImmediate();
      const now = performance.now();
      stallMs = Math.max(stallMs, now - last);
      last = now;
    }
  })();
  await work();
  working = false;
  await watching;
  return stallMs;
}

function learnerSide(): () => Promise<Published> {
  const learner = createLearner({
    ...{ backend, model, parameters: quickParameters(model), objectives: [], publishedType: given.type },
    config: {
      preset: "memagent",
      ...{ reference: "none", kl: { coefficient: 0 }, buckets: [{ rows: 1, length: 128 }] },
      precision: backend.gpu ? "bfloat16" : "float32",
    },
  });
  let policyVersion = 0;
  let readMs = 0;
  let lastReadAtMs = 0;
  const storing = new Meter();
  const copySeconds = timed("copyTensorData", () => true);
  const stored = { put: (pieces: readonly Uint8Array[]) => storing.over(() => objects.put(pieces)) };
  const held: (() => Promise<void>)[] = [];
  const read = (tensor: PublishedTensor): PublishedTensor => ({
    ...tensor,
    *pieces() {
      for (const pieces = tensor.pieces()[Symbol.iterator](); ; ) {
        const startedAt = performance.now();
        const { done, value } = pieces.next();
        readMs += performance.now() - startedAt;
        lastReadAtMs = Date.now();
        if (done === true) return;
        // Every shard has other bytes than in the round before, as after a step: equal ones would not be stored again.
        for (let at = 0; at < value.length; at += 2 ** 22)
          value[at] = value instanceof Float32Array ? policyVersion / 2 ** 12 : 0x3a00 + policyVersion;
        yield value;
      }
    },
  });
  return async () => {
    readMs = 0;
    copySeconds();
    storing.take();
    const version = { runId: "bench", policyVersion: policyVersion++ };
    const beganAtMs = Date.now();
    const manifest = await publishTensors(stored, version, learner.published().map(read), {
      isFinite: true,
      onStored: (some) => queues.foretellWeights(proto.WeightManifest.encode(some).finish()),
    });
    await queues.announceWeights(proto.WeightManifest.encode(manifest).finish());
    const announcedAtMs = Date.now();
    const { weightsHash, shards } = manifest;
    // As in a run, the store has this version and the one before it.
    held.push(async () => await objects.release(shards.map(locationOf)));
    if (held.length > 2) await held.shift()?.();
    return {
      ...{ bytes: weightsBytes(manifest), weightsHash, beganAtMs, announcedAtMs },
      ...{ readSeconds: readMs / 1000, copySeconds: copySeconds(), storeSeconds: storing.take() },
      lastReadSeconds: (lastReadAtMs - beganAtMs) / 1000,
      lastStoredSeconds: (storing.endedAtMs - beganAtMs) / 1000,
    };
  };
}

/** Loads as a rollout actor does, which samples meanwhile. */
function samplerSide(): (question: { readonly policyVersion: number }) => Promise<Loaded> {
  let sampler: ModelSampler | undefined;
  let weights: RolloutWeights | undefined;
  const request = { promptTokenIds: [1, 2, 3], maxTokens: 8, temperature: 1, seed: 1, stopTokenIds: [] };
  const mapping = new Meter();
  // The third argument names what is fed.
  const uploadSeconds = timed("runSavedModel", ([, , feeds]) => String(feeds).startsWith("write"));
  let sampledTokens = 0;
  let givenAtMs = 0;
  const mapped: Pick<Objects, "getInto"> = {
    getInto: (...given) => mapping.over(() => objects.getInto(...given)),
  };
  const context = {
    ...{ objects: mapped, metrics: { histogram: () => ({ observe: () => undefined }) } },
    logger: { warn: (...said: unknown[]) => console.error(...said) },
  } as unknown as ActorContext;
  const first = async () => {
    const announced = await queues.currentWeights();
    if (announced === undefined) throw new Error("nothing is announced");
    const initial = proto.WeightManifest.decode(announced);
    weights = new RolloutWeights({ model, initial, context, queues, sampler: watchedSampler });
    const { parameters } = await weights.starting();
    sampler = createSampler({
      ...{ backend, config: model, parameters, policyVersion: 0, weightsHash: initial.weightsHash },
      ...{ precision: "bfloat16", cache: "slots", maxBatch: 8, maxLength: 256, singleWeights: "off" },
      weightUpdates: given.updates,
    });
    await queues.onComingWeights((bytes) => void weights?.foretold(bytes));
  };
  /** The sampler, which tells when it has got all weights. */
  const watchedSampler = (): ModelSampler => {
    const own = sampler as ModelSampler;
    return new Proxy(own, {
      get: (of, name) => {
        const value = Reflect.get(of, name) as unknown;
        if (typeof value !== "function") return value;
        return (...all: unknown[]) => {
          if (name === "setWeights") givenAtMs = Date.now();
          return value.apply(of, all) as unknown;
        };
      },
    });
  };
  const next = async (policyVersion: number): Promise<number> => {
    let [stallMs, last, loaded] = [0, performance.now(), false];
    const sampled = () => {
      const now = performance.now();
      stallMs = Math.max(stallMs, now - last);
      last = now;
    };
    const asker = async () => {
      while (!loaded) {
        sampledTokens += (await sampler?.generate(request))?.tokenIds.length ?? 0;
        sampled();
      }
    };
    const asking = Promise.all(Array.from({ length: 8 }, asker));
    await weights?.ensure(policyVersion);
    loaded = true;
    await asking;
    return stallMs;
  };
  return async ({ policyVersion }) => {
    const beganAt = performance.now();
    let [sampleStallMs, loadedAtMs] = [0, 0];
    [sampledTokens, givenAtMs] = [0, 0];
    uploadSeconds();
    mapping.take();
    const loopStallMs = await watched(async () => {
      if (policyVersion === 0) await first();
      else sampleStallMs = await next(policyVersion);
      loadedAtMs = Date.now();
    });
    const parts = {
      mapSeconds: mapping.take(),
      mappedAtMs: mapping.endedAtMs,
      givenAtMs,
      changeSeconds: givenAtMs === 0 ? 0 : (loadedAtMs - givenAtMs) / 1000,
      uploadSeconds: uploadSeconds(),
      tokensPerSecond: Math.round((1000 * sampledTokens) / (performance.now() - beganAt)),
    };
    const { tokenIds: tokens = [] } = (await sampler?.generate(request)) ?? {};
    return {
      weightsHash: sampler?.weightsHash ?? "",
      loadedAtMs,
      loopStallMs,
      sampleStallMs,
      ...parts,
      tokens,
    };
  };
}

const answer = given.role === "learner" ? learnerSide() : samplerSide();
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
const peakGib = process.resourceUsage().maxRSS / 2 ** 20;
const gpuGib = (gpuUsedMemory(process.env["CUDA_VISIBLE_DEVICES"]) ?? 0) / 2 ** 30;
process.stdout.write(`${JSON.stringify({ role: given.role, peakGib, gpuGib })}\n`);
objects.close();
await queues.close();
process.exit(0);
