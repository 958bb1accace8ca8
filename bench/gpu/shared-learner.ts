/**
 * Measures one learner of all weights on the GPUs of this process: tokens per second, the most memory that each GPU held, and the
 * plan's. Its argument is a SharedCase as JSON, and the result is a line of JSON. With `equal` it trains a small model instead, once by one
 * replica and once by several that share its state, and gives the largest differences of 20 steps; on a CPU too.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/shared-learner.ts '{"model":"3B","replicas":2}'
 */
import { spawn } from "node:child_process";
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import {
  createLearner,
  estimateDevice,
  type LearnerConfigInput,
} from "../../packages/learning/learner/src/index.js";
import {
  initParameters,
  type ModelConfig,
  parseModelConfig,
} from "../../packages/learning/model/src/index.js";
import { fullRowGroups } from "../full-rows.js";
import { quickParameters } from "../model/quick-parameters.js";
import { shapes } from "./shapes.js";

interface SharedCase {
  readonly model: keyof typeof shapes;
  readonly replicas?: number;
  readonly rows?: number;
  readonly length?: number;
  /** Rows of this length that are packed into each sequence. */
  readonly packed?: number;
  /** Micro-batches per replica and step. */
  readonly microBatches?: number;
  readonly memory?: LearnerConfigInput["memory"];
  readonly reference?: boolean;
  /** Length of each of two windows. */
  readonly seconds?: number;
  readonly equal?: "float32" | "bfloat16";
}

const given = JSON.parse(process.argv[2] ?? "{}") as SharedCase;
const { replicas = 1, rows = 4, length = 2048, microBatches = 1, reference = false, seconds = 6 } = given;
const { packed = 1 } = given;
const memory = given.memory ?? (replicas === 1 ? {} : { optimizerState: "sharded" as const });
const model: ModelConfig = parseModelConfig({ ...shapes[given.model], maxPositions: length });
const backend = await loadBackend({ prefer: "tensorflow", threads: 8 });
const report = (result: object): void => console.log(JSON.stringify({ ...given, memory, ...result }));

const learnerConfig = (count: number, precision: "float32" | "bfloat16"): LearnerConfigInput => ({
  preset: "memagent",
  ...(reference || given.equal
    ? { kl: { coefficient: 0.1 } }
    : { reference: "none", kl: { coefficient: 0 } }),
  measureEntropy: false,
  buckets:
    packed === 1
      ? [{ rows, length }]
      : [
          {
            ...{ rows, length: packed * length, packedRows: packed * rows },
            trainedTokens: packed * rows * Math.ceil(length / 2),
          },
        ],
  replicas: count,
  precision,
  memory: count === 1 && given.equal ? {} : memory,
  ...(given.equal
    ? { schedule: { kind: "constant", learningRate: 3e-5 }, optimizer: { epsilon: 1e-3 } }
    : {}),
});

/** Largest differences of losses, norms and weights over 20 steps, relative to their sizes. */
async function compare(precision: "float32" | "bfloat16"): Promise<void> {
  const parameters = initParameters(model, 3);
  const train = async (count: number) => {
    const config = learnerConfig(count, precision);
    const learner = createLearner({
      backend,
      mode: "xla",
      model,
      parameters,
      objectives: ["policy"],
      config,
    });
    const losses: number[] = [];
    const norms: number[] = [];
    for (let step = 0; step < 20; step++) {
      const groups = fullRowGroups({ rows: 2 * rows * replicas, length, vocabSize: 1024, groupSize: rows });
      const shifted = groups.map((group, g) => ({
        ...group,
        members: group.members.map((member, m) => ({ ...member, reward: ((g + m * (step + 3)) % 5) / 4 })),
      }));
      const { loss, gradientNorm } = await learner.update(shifted as typeof groups);
      losses.push(loss);
      norms.push(gradientNorm);
    }
    const weights = learner.parameters();
    learner.close();
    return { losses, norms, weights };
  };
  const [one, again, several] = [await train(1), await train(1), await train(replicas)];
  const far = (a: readonly number[], b: readonly number[]) =>
    Math.max(...a.map((value, at) => Math.abs(value - (b[at] as number)) / Math.max(Math.abs(value), 1e-9)));
  const apart = (other: typeof one) => {
    let [square, size] = [0, 0];
    for (const [name, values] of Object.entries(one.weights))
      for (let at = 0; at < values.length; at++) {
        square += ((values[at] as number) - (other.weights[name]?.[at] as number)) ** 2;
        size += (values[at] as number) ** 2;
      }
    return {
      losses: far(one.losses, other.losses),
      norms: far(one.norms, other.norms),
      weights: Math.sqrt(square / size),
    };
  };
  report({
    again: apart(again),
    several: apart(several),
    losses: one.losses,
    severalLosses: several.losses,
    norms: one.norms,
  });
}

async function measure(): Promise<void> {
  const peakMiB: Record<string, number> = {};
  const query = ["--query-gpu=index,memory.used", "--format=csv,noheader,nounits", "-lms", "100"];
  const watch = spawn("nvidia-smi", query, { stdio: ["ignore", "pipe", "ignore"] });
  watch.on("error", () => undefined);
  watch.stdout.on("data", (text: Buffer) => {
    for (const line of text.toString().trim().split("\n")) {
      const [gpu = "", used] = line.split(",").map((part) => part.trim());
      peakMiB[gpu] = Math.max(peakMiB[gpu] ?? 0, Number(used));
    }
  });
  const config = learnerConfig(replicas, "bfloat16");
  const plan = estimateDevice(model, config, backend.gpuMemoryBytes);
  const gib = Object.entries(plan).map(([name, bytes]) =>
    typeof bytes === "number"
      ? [name.replace("Bytes", "GiB"), Number((bytes / 2 ** 30).toFixed(2))]
      : [name, bytes],
  );
  report({ plan: Object.fromEntries(gib), gpuGiB: (backend.gpuMemoryBytes ?? 0) / 2 ** 30 });
  const began = performance.now();
  const parameters = quickParameters(model);
  const learner = createLearner({ backend, mode: "xla", model, parameters, objectives: ["policy"], config });
  const made = performance.now();
  const count = rows * packed * replicas * microBatches;
  const groups = fullRowGroups({ rows: count, length, vocabSize: model.vocabSize, groupSize: rows * packed });
  const first = await learner.update(groups);
  const firstMs = performance.now() - made;
  const rates: number[] = [];
  for (const window of [1, seconds, seconds]) {
    const from = performance.now();
    let updates = 0;
    for (; performance.now() - from < window * 1000; updates++) await learner.update(groups);
    rates.push(Math.round((count * length * updates * 1000) / (performance.now() - from)));
  }
  const calls = Object.entries(learner.stats).flatMap(([name, { calls: n, totalMs, firstCallMs }]) =>
    n > 1 ? [[name, Number(((totalMs - firstCallMs) / (n - 1)).toFixed(1))]] : [],
  );
  report({
    tokensPerSecond: rates.slice(1),
    madeSeconds: Math.round((made - began) / 1000),
    firstUpdateSeconds: Math.round(firstMs / 1000),
    gradientNorm: first.gradientNorm,
    msPerCall: Object.fromEntries(calls),
    peakMiB,
  });
  watch.kill();
}

if (given.equal === undefined) await measure();
else await compare(given.equal);
process.exit(0);
