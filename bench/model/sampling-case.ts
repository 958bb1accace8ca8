/**
 * Runs one system of bench/model/sampling.ts: our sampler at one shape, on one backend, in one mode. The first line of
 * standard input says what to make; every further line {"batch": n} is one wave of n requests that are sent at once and
 * do not stop early.
 */
import { createInterface } from "node:readline";
import { type JitMode, loadBackend } from "../../packages/learning/jit/src/index.js";
import {
  createSampler,
  type ModelSampler,
  parseModelConfig,
} from "../../packages/learning/model/src/index.js";
import { quickParameters } from "./quick-parameters.js";

interface Setup {
  readonly shape: {
    vocabSize: number;
    hiddenSize: number;
    layers: number;
    heads: number;
    kvHeads?: number;
    headDim?: number;
    intermediateSize: number;
    tieWordEmbeddings?: boolean;
  };
  /** The sampler's own option; default false. */
  readonly batchInvariant?: boolean;
  readonly precision?: "auto" | "float32" | "bfloat16";
  /** The sampler's own option, by batch; the default where there is none. */
  readonly stepsPerCall?: Readonly<Record<string, number>>;
  readonly backend: "tensorflow" | "wasm";
  readonly mode: JitMode;
  readonly batches: readonly number[];
  readonly promptTokens: number;
  readonly newTokens: number;
  readonly threads: number;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { value: first } = await lines.next();
const setup = JSON.parse(first as string) as Setup;
const { shape, promptTokens, newTokens } = setup;
// Unrolled graphs sample in lanes of one thread each; everything else shares its threads.
const { batchInvariant } = setup;
const lanes = setup.mode === "graph" && batchInvariant === undefined ? setup.threads : 1;
const backend = await loadBackend({
  prefer: setup.backend,
  threads: setup.threads / lanes,
  operationsAtOnce: setup.threads,
});
const config = parseModelConfig({
  kvHeads: shape.heads,
  headDim: shape.hiddenSize / shape.heads,
  tieWordEmbeddings: false,
  ...shape,
  architecture: "llama",
  maxPositions: 1024,
});
const parameters = quickParameters(config);
const samplers = new Map<number, ModelSampler>();
const started = performance.now();
for (const batch of setup.batches) {
  const options = { backend, config, parameters, mode: setup.mode, weightsHash: "bench", prefixCache: false };
  const { precision = "float32" } = setup;
  const own = backend.gpu ? 1 : lanes;
  const stepsPerCall = setup.stepsPerCall?.[batch];
  samplers.set(
    batch,
    createSampler({
      ...options,
      precision,
      lanes: own,
      maxBatch: batch,
      maxLength: promptTokens + newTokens,
      ...(batchInvariant === undefined ? {} : { batchInvariant }),
      ...(stepsPerCall === undefined ? {} : { stepsPerCall }),
    }),
  );
}
answer({ startMs: performance.now() - started });

let wave = 0;
for (;;) {
  const { value, done } = await lines.next();
  if (done === true) break;
  const { batch } = JSON.parse(value) as { batch: number };
  const sampler = samplers.get(batch) as ModelSampler;
  wave += 1;
  const from = performance.now();
  const processor = process.cpuUsage();
  await Promise.all(
    Array.from({ length: batch }, (_, i) =>
      sampler.generate({
        promptTokenIds: Array.from(
          { length: promptTokens },
          (_unused, t) => (i * 31 + t * 17 + wave) % config.vocabSize,
        ),
        maxTokens: newTokens,
        temperature: 1,
        stopTokenIds: [],
        seed: wave * 1000 + i,
      }),
    ),
  );
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(processor);
  answer({
    tokensPerSecond: (batch * newTokens) / seconds,
    seconds,
    processorSeconds: (user + system) / 1e6,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  });
}
for (const sampler of samplers.values()) await sampler.close();

function answer(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
