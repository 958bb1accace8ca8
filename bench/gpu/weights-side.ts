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
  /** The time in which the learner's thread read from the device. */
  readonly readSeconds: number;
}

export interface Loaded {
  readonly weightsHash: string;
  readonly loadedAtMs: number;
  /** The longest time in which the event loop did not run. */
  readonly loopStallMs: number;
  /** The longest time without a sampled token, of 8 requests one after another; 0 for the first weights. */
  readonly sampleStallMs: number;
  /** What the sampler says with the weights, which must be the same everywhere. */
  readonly tokens: readonly number[];
}

const given = JSON.parse(process.argv[2] ?? "{}") as {
  readonly role: "learner" | "sampler";
  readonly model: object;
  readonly type: "float32" | "bfloat16";
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
  const read = (tensor: PublishedTensor): PublishedTensor => ({
    ...tensor,
    *pieces() {
      for (const pieces = tensor.pieces()[Symbol.iterator](); ; ) {
        const startedAt = performance.now();
        const { done, value } = pieces.next();
        readMs += performance.now() - startedAt;
        if (done === true) return;
        yield value;
      }
    },
  });
  return async () => {
    readMs = 0;
    const version = { runId: "bench", policyVersion: policyVersion++ };
    const beganAtMs = Date.now();
    const manifest = await publishTensors(objects, version, learner.published().map(read), {
      isFinite: true,
      onStored: (stored) => queues.foretellWeights(proto.WeightManifest.encode(stored).finish()),
    });
    await queues.announceWeights(proto.WeightManifest.encode(manifest).finish());
    const announcedAtMs = Date.now();
    const { weightsHash } = manifest;
    return {
      ...{ bytes: weightsBytes(manifest), weightsHash, beganAtMs, announcedAtMs },
      readSeconds: readMs / 1000,
    };
  };
}

/** Loads as a rollout actor does, which samples meanwhile. */
function samplerSide(): (question: { readonly policyVersion: number }) => Promise<Loaded> {
  let sampler: ModelSampler | undefined;
  let weights: RolloutWeights | undefined;
  const request = { promptTokenIds: [1, 2, 3], maxTokens: 8, temperature: 1, seed: 1, stopTokenIds: [] };
  const context = {
    ...{ objects, metrics: { histogram: () => ({ observe: () => undefined }) } },
    logger: { warn: (...said: unknown[]) => console.error(...said) },
  } as unknown as ActorContext;
  const first = async () => {
    const announced = await queues.currentWeights();
    if (announced === undefined) throw new Error("nothing is announced");
    const initial = proto.WeightManifest.decode(announced);
    weights = new RolloutWeights({ model, initial, context, queues, sampler: () => sampler as ModelSampler });
    const { parameters } = await weights.starting();
    sampler = createSampler({
      ...{ backend, config: model, parameters, policyVersion: 0, weightsHash: initial.weightsHash },
      ...{ precision: "bfloat16", cache: "slots", maxBatch: 8, maxLength: 256, singleWeights: "off" },
      weightUpdates: "in-flight",
    });
    await queues.onComingWeights((bytes) => void weights?.foretold(bytes));
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
        await sampler?.generate(request);
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
    let [sampleStallMs, loadedAtMs] = [0, 0];
    const loopStallMs = await watched(async () => {
      if (policyVersion === 0) await first();
      else sampleStallMs = await next(policyVersion);
      loadedAtMs = Date.now();
    });
    const { tokenIds: tokens = [] } = (await sampler?.generate(request)) ?? {};
    return { weightsHash: sampler?.weightsHash ?? "", loadedAtMs, loopStallMs, sampleStallMs, tokens };
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
