/**
 * The learner or one sampler of bench/gpu/weights.ts, in its own process. Its argument says which; each line of standard input makes it
 * publish or load once, and each answer is a line of JSON.
 */
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { grpcNetwork } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { gpuUsedMemory, loadBackend } from "../../packages/learning/jit/src/index.js";
import { createLearner, type PublishedTensor } from "../../packages/learning/learner/src/index.js";
import {
  createSampler,
  type HeldParameters,
  type ModelSampler,
  parseModelConfig,
} from "../../packages/learning/model/src/index.js";
import {
  fetchWeights,
  publishTensors,
  weightsBytes,
} from "../../packages/learning/trainer/src/weights/weights.js";
import { Objects } from "../../packages/runtime/client/src/index.js";
import { quickParameters } from "../model/quick-parameters.js";

export interface Published {
  readonly manifest: string;
  readonly bytes: number;
  readonly seconds: number;
  /** The part of them in which the learner's thread read from the device. */
  readonly readSeconds: number;
}

export interface Loaded {
  readonly fetchSeconds: number;
  readonly applySeconds: number;
  /** The longest time in which the event loop did not run. */
  readonly fetchStallMs: number;
  readonly applyStallMs: number;
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
};
const objects = new Objects({
  address: async () => given.address,
  network: grpcNetwork({ token: given.token }),
  holder: given.holder,
  defaultTimeoutMs: 120_000,
});
const backend = await loadBackend({ prefer: "tensorflow" });
const model = parseModelConfig({ ...given.model, maxPositions: 512 });

async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly seconds: number; readonly stallMs: number }> {
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
  const startedAt = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  working = false;
  await watching;
  return { result, seconds, stallMs };
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
    const { result, seconds } = await timed(() =>
      publishTensors(objects, version, learner.published().map(read), { isFinite: true }),
    );
    const manifest = Buffer.from(proto.WeightManifest.encode(result).finish()).toString("base64");
    return { manifest, bytes: weightsBytes(result), seconds, readSeconds: readMs / 1000 };
  };
}

function samplerSide(): (question: { readonly manifest: string }) => Promise<Loaded> {
  let sampler: ModelSampler | undefined;
  let into: HeldParameters = {};
  return async ({ manifest: text }) => {
    const manifest = proto.WeightManifest.decode(Buffer.from(text, "base64"));
    const fetched = await timed(() => fetchWeights(objects, manifest, into));
    const { result: parameters } = fetched;
    const { policyVersion, weightsHash } = manifest;
    into = parameters;
    const applied = await timed(async () => {
      if (sampler !== undefined)
        return await sampler.setWeights(parameters, policyVersion, weightsHash, manifest);
      sampler = createSampler({
        ...{ backend, config: model, parameters, policyVersion, weightsHash },
        ...{ precision: "bfloat16", cache: "slots", maxBatch: 8, maxLength: 256, singleWeights: "off" },
      });
    });
    const request = { promptTokenIds: [1, 2, 3], maxTokens: 8, temperature: 1, seed: 1, stopTokenIds: [] };
    const { tokenIds = [] } = (await sampler?.generate(request)) ?? {};
    return {
      ...{ fetchSeconds: fetched.seconds, fetchStallMs: fetched.stallMs },
      ...{ applySeconds: applied.seconds, applyStallMs: applied.stallMs, tokens: tokenIds },
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
process.exit(0);
