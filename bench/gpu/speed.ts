/**
 * Measures updates of the learner and waves of the sampler at several shapes, on a GPU where TensorFlow has one. Each
 * case runs in its own process, so that its peak of GPU memory is measured separately.
 * For a learner the figure is tokens per second of whole updates (gradients, norm, AdamW), without padding and with the
 * lm-head over every position. For a sampler it is sampled tokens per second over everything: queue, host, prompts,
 * device.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/speed.ts [--cases REGEXP] [--seconds 10] [--memory JSON] [--json
 * FILE]; `--cases list` names the cases, --memory replaces fields of the learner's `memory`.
 */
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { caseProcess, modelShape, shapes } from "./case.js";
import { GpuMemoryWatch } from "./memory-watch.js";

const flags = benchFlags({ cases: "", seconds: "10", memory: "{}", json: undefined });

const { tiny, small, smollm2, half, three } = shapes;
/**
 * Limits that a GPU's memory allows: logits in few chunks, attention in four blocks, each of which skips the later
 * keys.
 */
const roomy = { logitsMb: 1280, scoresMb: 512, applyMb: 512 };
const xla = { prefer: "tensorflow", mode: "xla" };
/** Nothing to measure: it shows on a CPU whether the bench works. */
const tried = { ...xla, precision: "bfloat16", shape: { ...tiny, rows: 8, length: 64 } };
const updates = {
  "learner tiny 8x64 xla bfloat16": tried,
  "learner tiny 2x8x64 xla bfloat16 replicas": { ...tried, replicas: 2 },
  "learner 3.4M 16x256 graph": { ...xla, mode: "graph", shape: { ...small, rows: 16, length: 256 } },
  "learner 3.4M 16x256 xla": { ...xla, shape: { ...small, rows: 16, length: 256 } },
  "learner 3.4M 16x256 xla bfloat16": {
    ...xla,
    precision: "bfloat16",
    shape: { ...small, rows: 16, length: 256 },
  },
  "learner 0.5B 8x2048 xla bfloat16": {
    ...xla,
    precision: "bfloat16",
    memory: roomy,
    shape: { ...half, rows: 8, length: 2048 },
  },
  "learner 0.5B 8x2048 xla bfloat16 default memory": {
    ...xla,
    precision: "bfloat16",
    shape: { ...half, rows: 8, length: 2048 },
  },
  "learner 0.5B 2x8x2048 xla bfloat16 replicas": {
    ...xla,
    precision: "bfloat16",
    replicas: 2,
    shape: { ...half, rows: 8, length: 2048 },
  },
  "learner 3B 4x2048 xla bfloat16 without sums": {
    ...xla,
    precision: "bfloat16",
    memory: { keep: "nothing", accumulators: "none" },
    shape: { ...three, rows: 4, length: 2048 },
  },
  "learner 0.5B 8x2048 xla": { ...xla, memory: roomy, shape: { ...half, rows: 8, length: 2048 } },
};
const wave = { backend: "tensorflow", mode: "xla", threads: 4 };
const short = { ...wave, promptTokens: 32, newTokens: 128 };
const long = { ...wave, promptTokens: 128, newTokens: 384 };
const waves = {
  "sampler 3.4M": { ...short, shape: modelShape(small), batches: [64, 256] },
  "sampler 3.4M graph": { ...short, mode: "graph", shape: modelShape(small), batches: [64] },
  "sampler 135M": { ...long, shape: modelShape(smollm2), batches: [64, 256] },
  "sampler 135M bfloat16": { ...long, precision: "bfloat16", shape: modelShape(smollm2), batches: [64, 256] },
  "sampler 0.5B bfloat16": { ...long, precision: "bfloat16", shape: modelShape(half), batches: [64, 256] },
};

type Answer = Readonly<Record<string, number>>;

type FunctionTimes = Readonly<Record<string, { readonly calls: number; readonly totalMs: number }>>;

/** Milliseconds per call of each function that was called between the two snapshots. */
function msPerCall(before: FunctionTimes, after: FunctionTimes): Record<string, number> {
  const used = Object.entries(after).flatMap(([name, { calls, totalMs }]) => {
    const own = calls - (before[name]?.calls ?? 0);
    return own === 0 ? [] : [[name, Number(((totalMs - (before[name]?.totalMs ?? 0)) / own).toFixed(2))]];
  });
  return Object.fromEntries(used) as Record<string, number>;
}

async function updateCase(
  name: string,
  setup: {
    readonly memory?: object;
    readonly replicas?: number;
    readonly shape: { rows: number; length: number };
  },
) {
  const { shape, replicas = 1 } = setup;
  const tokensPerUpdate = replicas * shape.rows * shape.length;
  const learner = caseProcess(name, "../learner-case.ts");
  const started = performance.now();
  const memory = { ...setup.memory, ...(JSON.parse(flags.memory) as object) };
  const ready = await learner.ask({ ...setup, memory, shape: { ...setup.shape, threads: 4 } });
  if (ready === undefined) return { failed: "ended before its first update" };
  const startSeconds = (performance.now() - started) / 1000;
  const turns: number[] = [];
  const first = (ready as { stats: FunctionTimes }).stats;
  let last = first;
  for (const seconds of [1, Number(flags.seconds), Number(flags.seconds)]) {
    const turn = (await learner.ask({ seconds })) as Answer | undefined;
    if (turn === undefined) return { failed: "ended during an update" };
    last = (turn as unknown as { stats: FunctionTimes }).stats;
    turns.push((tokensPerUpdate * (turn["updates"] ?? 0)) / (turn["seconds"] ?? 0));
  }
  await learner.close();
  const { firstMs, stats } = ready as { firstMs: number; stats: Record<string, Answer> };
  const policy = Object.entries(stats).find(([key]) => /^(step-)?policy/.test(key))?.[1] ?? {};
  const [traceMs, loadMs] = [policy["traceMs"], policy["loadMs"]].map((ms) => Math.round(ms ?? 0));
  const firstSeconds = Number((firstMs / 1000).toFixed(1));
  const compiled = {
    startSeconds: Math.round(startSeconds),
    traceMs,
    loadMs,
    firstUpdateSeconds: firstSeconds,
  };
  return { tokensPerSecond: turns.slice(1).map(Math.round), ...compiled, msPerCall: msPerCall(first, last) };
}

async function waveCase(name: string, setup: { readonly batches: readonly number[] }) {
  const sampler = caseProcess(name, "../model/sampling-case.ts");
  const ready = (await sampler.ask(setup)) as Answer | undefined;
  if (ready === undefined) return { failed: "ended before its first wave" };
  const batches = [];
  for (const batch of setup.batches) {
    const started = performance.now();
    const rates: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const answer = (await sampler.ask({ batch })) as Answer | undefined;
      if (answer === undefined) return { failed: `ended in a wave of ${batch}`, batches };
      if (round > 0) rates.push(Math.round(answer["tokensPerSecond"] ?? 0));
      else
        batches.push({ batch, firstWaveSeconds: Number(((performance.now() - started) / 1000).toFixed(1)) });
    }
    Object.assign(batches.at(-1) ?? {}, { tokensPerSecond: median(rates), all: rates });
  }
  await sampler.close();
  return { startSeconds: Math.round((ready["startMs"] ?? 0) / 1000), batches };
}

const wanted = new RegExp(flags.cases);
const results: Record<string, unknown>[] = [];
for (const [name, setup] of Object.entries({ ...updates, ...waves })) {
  if (flags.cases === "list") console.log(name);
  if (flags.cases === "list" || !wanted.test(name)) continue;
  const watch = new GpuMemoryWatch();
  const result = "batches" in setup ? await waveCase(name, setup) : await updateCase(name, setup);
  results.push({ name, ...result, peakGpuMiB: watch.end() });
  console.log(JSON.stringify(results.at(-1)));
  // The file is written after each case, so that nothing is lost if a later one hangs.
  if (flags.json !== undefined) writeResult(flags.json, results);
}
process.exit(0);
