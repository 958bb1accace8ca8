/**
 * Runs one system of bench/learner.ts in its own process, so that its peak memory is measured separately. The first
 * line of standard input says what to run; for every further line {"seconds": s} it makes updates for that long.
 * Answers are lines of JSON.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { loadBackend } from "../packages/learning/jit/src/index.js";
import {
  createLearner,
  type Learner,
  type LearnerConfigInput,
  TrainedTokens,
} from "../packages/learning/learner/src/index.js";
import { parseModelConfig } from "../packages/learning/model/src/index.js";
import { fullRowGroups } from "./full-rows.js";
import { kernelCost } from "./kernel-cost.js";
import { quickParameters } from "./model/quick-parameters.js";

interface Shape {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly kvHeads?: number;
  readonly headDim: number;
  readonly inner: number;
  readonly vocab: number;
  readonly rows: number;
  readonly length: number;
  readonly threads: number;
  readonly lora?: { readonly rank: number; readonly alpha: number };
}

const LARGEST_GROUP = 8;

function answer(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function start(line: string) {
  const {
    shape,
    prefer,
    mode,
    precision,
    memory,
    places = "all",
    replicas = 1,
    deterministic = false,
    orderedSums,
    compared = 0,
    apart = false,
  } = JSON.parse(line) as {
    readonly shape: Shape;
    readonly prefer: "tensorflow" | "wasm" | "cpu";
    readonly mode: "eager" | "graph" | "xla";
    readonly precision?: "auto" | "float32" | "bfloat16";
    readonly memory?: LearnerConfigInput["memory"];
    /** The number of GPUs that train together, each with a micro-batch of this shape. */
    readonly replicas?: number;
    /**
     * Positions that get logits. all: every position; trained: the bucket says how many tokens are trained; shared: as
     * trained, and a group's prompt is computed once. apart, alike: as trained and shared, where only the first three
     * quarters of a group's prompts are the same.
     */
    readonly places?: "all" | "trained" | "shared" | "apart" | "alike";
    /** Whether sums have a fixed order on a GPU too. */
    readonly deterministic?: boolean;
    /** Whether segments are summed without a scatter. Default: if sums have a fixed order. */
    readonly orderedSums?: boolean;
    /**
     * Micro-batches whose log-probs are computed twice by the same weights, by the function that scores rows and by the one that trains on
     * them; the answer then says how many differ, and there are no updates.
     */
    readonly compared?: number;
    /** Whether the rows whose log-probs are compared are scored all together, before they are dealt into two halves to be trained. */
    readonly apart?: boolean;
  };
  const { rows, length } = shape;
  const groupSize = Math.min(LARGEST_GROUP, rows);
  const prompt = Math.floor(length / 2);
  const trainedTokens = rows * (length - prompt);
  const common = places === "apart" || places === "alike" ? Math.floor((3 * prompt) / 4) : prompt;
  const isShared = places === "shared" || places === "alike";
  const bucket = {
    rows,
    length,
    ...(places === "all" ? {} : { trainedTokens }),
    ...(isShared ? { sharedPrompts: { length: common, replies: groupSize } } : {}),
  };
  const loaded = await loadBackend({ prefer, threads: shape.threads, deterministic });
  const backend = { ...loaded, deterministic: orderedSums ?? loaded.deterministic };
  const model = parseModelConfig({
    architecture: "llama",
    vocabSize: shape.vocab,
    hiddenSize: shape.hidden,
    layers: shape.layers,
    heads: shape.heads,
    kvHeads: shape.kvHeads ?? shape.heads,
    headDim: shape.headDim,
    intermediateSize: shape.inner,
    tieWordEmbeddings: true,
    maxPositions: shape.length,
  });
  const learner = createLearner({
    backend,
    mode,
    model,
    parameters: quickParameters(model),
    objectives: ["policy"],
    config: {
      preset: "memagent",
      // A penalty within the reward has all rows scored first.
      ...(apart
        ? { kl: { in: "reward", coefficient: 1e-3 } }
        : { reference: "none", kl: { coefficient: 0 } }),
      measureEntropy: false,
      buckets: [bucket],
      replicas,
      lora: shape.lora ?? null,
      // The second half of the rows is scored before the first is trained on, which changes nothing.
      ...(compared > 0 ? { miniBatches: 2, schedule: { learningRate: 0 } } : {}),
      ...(precision === undefined ? {} : { precision }),
      ...(memory === undefined ? {} : { memory }),
    },
  });
  const made = rows * (compared > 0 ? 2 * compared : replicas);
  const groups = fullRowGroups({ rows: made, length, vocabSize: shape.vocab, groupSize, common });
  if (compared > 0) {
    const from = performance.now();
    answer({ ...(await differences(learner, groups)), seconds: (performance.now() - from) / 1000 });
    process.exit(0);
  }
  const started = performance.now();
  const { gradientNorm } = await learner.update(groups);
  const firstMs = performance.now() - started;
  const { kernelUs } = kernelCost(backend, mode, 0.5);
  answer({
    ready: backend.tensorflowVersion ?? prefer,
    firstMs,
    gradientNorm,
    precision: learner.config.precision,
    stats: learner.stats,
    kernelUs,
  });
  return async (seconds: number) => {
    const [from, cpu] = [performance.now(), process.cpuUsage()];
    const gradientNorms: number[] = [];
    while (performance.now() - from < seconds * 1000) {
      gradientNorms.push((await learner.update(groups)).gradientNorm);
    }
    const { user, system } = process.cpuUsage(cpu);
    return {
      updates: gradientNorms.length,
      gradientNorms,
      seconds: (performance.now() - from) / 1000,
      cpuSeconds: (user + system) / 1e6,
      stats: learner.stats,
    };
  };
}

/** Ratios of the second half to the learner's own earlier log-probs: 1 exactly where these are the same bits. */
async function differences(learner: Learner, groups: ReturnType<typeof fullRowGroups>) {
  const tokens = new TrainedTokens(learner.config.loss, Number.POSITIVE_INFINITY);
  await learner.update(groups, { tokens });
  const ratios = groups.flatMap(({ members }) =>
    members.flatMap(({ trajectory }) => [...(tokens.of(trajectory.trajectoryId, 0)?.ratios ?? [])]),
  );
  const trained = ratios.filter((ratio) => !Number.isNaN(ratio));
  return {
    // Those of the first half are the step's own.
    logprobsCompared: trained.length / 2,
    differing: trained.filter((ratio) => ratio !== 1).length,
    maxDifference: trained.reduce((most, ratio) => Math.max(most, Math.abs(Math.log(ratio))), 0),
  };
}

let run: Awaited<ReturnType<typeof start>> | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  if (run === undefined) run = await start(line);
  else answer(await run((JSON.parse(line) as { readonly seconds: number }).seconds));
}
const peak = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
answer({ peakBytes: Number(peak ?? Number.NaN) * 1024 });
process.exit(0);
