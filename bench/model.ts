/**
 * Measures the sampler's throughput at the quickstart's shape: requests of one wave (prompts of 30 to 60 tokens, 5 to
 * 12 sampled) are all sent at once; --sampled N samples N tokens each instead. Wall seconds count everything: queue,
 * host work, device. Usage: tsx bench/model.ts [--batches 64,256] [--cases
 * tensorflow:graph,tensorflow:eager,wasm:eager] [--seconds 3] [--threads N] [--model FOLDER] [--json FILE]
 */
import { cpus } from "node:os";
import { type JitMode, loadBackend } from "../packages/learning/jit/src/index.js";
import {
  createSampler,
  type GenerateRequest,
  initParameters,
  loadModel,
  parameterCount,
  parseModelConfig,
} from "../packages/learning/model/src/index.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const flags = benchFlags({
  batches: "64,256",
  cases: "tensorflow:graph,tensorflow:eager,wasm:eager",
  seconds: "3",
  threads: undefined,
  model: undefined,
  sampled: undefined,
  json: undefined,
});

const shipped = flags.model === undefined ? undefined : await loadModel(flags.model);
const config =
  shipped?.config ??
  parseModelConfig({
    architecture: "llama",
    vocabSize: 256,
    hiddenSize: 64,
    layers: 2,
    heads: 2,
    kvHeads: 2,
    headDim: 32,
    intermediateSize: 172,
    tieWordEmbeddings: false,
    maxPositions: 256,
  });

const sampledTokens = flags.sampled === undefined ? undefined : Number(flags.sampled);

/** Makes one wave; its lengths are the same for every case. */
function wave(count: number, round: number): GenerateRequest[] {
  return Array.from({ length: count }, (_, i) => ({
    promptTokenIds: Array.from(
      { length: 30 + ((i * 7) % 31) },
      (_, t) => (i * 31 + t * 17) % config.vocabSize,
    ),
    maxTokens: sampledTokens ?? 5 + (i % 8),
    temperature: 1,
    stopTokenIds: [],
    seed: round * count + i,
  }));
}

interface Row {
  readonly backend: string;
  readonly mode: JitMode;
  readonly batch: number;
  readonly startMs: number;
  readonly sampledPerSecond: number;
  readonly promptPerSecond: number;
  /** Sampled tokens per second of CPU time, which is the relevant figure when actors share the cores. */
  readonly sampledPerCpuSecond: number;
  readonly requestsPerSecond: number;
  readonly occupancy: number;
}

async function measure(name: "tensorflow" | "wasm" | "cpu", mode: JitMode, batch: number): Promise<Row> {
  const threads = flags.threads === undefined ? {} : { threads: Number(flags.threads) };
  const backend = await loadBackend({ prefer: name, ...threads });
  const started = performance.now();
  const sampler = createSampler({
    backend,
    mode,
    config,
    parameters: shipped?.parameters ?? initParameters(config, 1),
    maxBatch: batch,
    // The same prompts recur, so a prefix cache would skip reading them.
    prefixCache: false,
    maxLength: 60 + (sampledTokens ?? 12),
    promptLengths: [48, 64],
  });
  const startMs = performance.now() - started;
  const runWave = (round: number) =>
    Promise.all(wave(batch, round).map((request) => sampler.generate(request)));
  await runWave(0);
  await runWave(1);
  const before = sampler.stats;
  const cpuBefore = process.cpuUsage();
  const measureFrom = performance.now();
  let rounds = 0;
  while (performance.now() - measureFrom < Number(flags.seconds) * 1000) await runWave(2 + rounds++);
  const seconds = (performance.now() - measureFrom) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const after = sampler.stats;
  await sampler.close();
  const sampled = after.sampledTokens - before.sampledTokens;
  return {
    backend: `${backend.name} ${backend.tensorflowVersion ?? ""}`.trim(),
    mode,
    batch,
    startMs: Math.round(startMs),
    sampledPerSecond: Math.round(sampled / seconds),
    promptPerSecond: Math.round((after.prefillTokens - before.prefillTokens) / seconds),
    sampledPerCpuSecond: Math.round(sampled / ((cpu.user + cpu.system) / 1e6)),
    requestsPerSecond: Math.round((rounds * batch) / seconds),
    occupancy: Number(after.occupancy.toFixed(2)),
  };
}

const rows: Row[] = [];
for (const label of flags.cases.split(",")) {
  const [name, mode] = label.split(":") as ["tensorflow" | "wasm" | "cpu", JitMode];
  for (const batch of flags.batches.split(",").map(Number)) rows.push(await measure(name, mode, batch));
}
console.log(
  `${parameterCount(config)} parameters, ${config.layers} layers of ${config.hiddenSize}, vocabulary ${config.vocabSize}; ` +
    `${cpus().length} CPUs (${cpus()[0]?.model}), Node ${process.version}`,
);
console.table(rows);
if (flags.json !== undefined) {
  const report = { config, rows, cpus: cpus().length, node: process.version, flags };
  writeResult(flags.json, report);
}
