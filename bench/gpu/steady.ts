/**
 * Checks that memory stays flat in a long run: updates of adapters and calls of the sampler run in one process, and
 * after every tenth of them it reads the GPU's memory, the process's, tfjs's tensors and TensorFlow's handles. Weights
 * are random, of SmolLM2-135M's shape.
 * Exits with 1 if the last half grew: by a tensor, or by more than 2 % of a memory.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/steady.ts [--updates 500] [--calls 5000] [--small] [--mode xla]
 * [--json FILE]
 */
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import { createLearner } from "../../packages/learning/learner/src/index.js";
import { createSampler, parseModelConfig } from "../../packages/learning/model/src/index.js";
import { benchFlags } from "../flags.js";
import { fullRowGroups } from "../full-rows.js";
import { quickParameters } from "../model/quick-parameters.js";
import { writeResult } from "../result-file.js";
import { usedMiB } from "./memory-watch.js";

const flags = benchFlags({ updates: "500", calls: "5000", small: false, mode: "xla", json: undefined });

const vocabSize = flags.small ? 512 : 49_152;
const model = parseModelConfig({
  architecture: "llama",
  vocabSize,
  hiddenSize: flags.small ? 64 : 576,
  layers: flags.small ? 2 : 30,
  heads: flags.small ? 2 : 9,
  kvHeads: flags.small ? 1 : 3,
  headDim: flags.small ? 32 : 64,
  intermediateSize: flags.small ? 172 : 1536,
  tieWordEmbeddings: true,
  maxPositions: 1024,
});
const mode = flags.mode as "xla" | "graph";
const precision = flags.small ? "float32" : "bfloat16";
const bucket = flags.small ? { rows: 8, length: 64 } : { rows: 16, length: 256 };
const backend = await loadBackend({ prefer: "tensorflow", threads: 8 });
const parameters = quickParameters(model);

interface Look {
  readonly done: number;
  readonly gpuMiB: number | undefined;
  readonly processMiB: number;
  readonly tensors: number;
}

function look(done: number): Look {
  globalThis.gc?.();
  return {
    done,
    gpuMiB: usedMiB(),
    processMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
    tensors: backend.tf.memory().numTensors,
  };
}

/** Runs `count` repetitions of a work in tenths, and reports the memory in use after each. */
async function watched(what: string, count: number, work: (from: number, to: number) => Promise<unknown>) {
  const looks: Look[] = [];
  for (let tenth = 0; tenth < 10; tenth++) {
    await work(Math.floor((count * tenth) / 10), Math.floor((count * (tenth + 1)) / 10));
    looks.push(look(Math.floor((count * (tenth + 1)) / 10)));
  }
  const [middle, last] = [looks[4] as Look, looks[9] as Look];
  const grew = (from: number | undefined, to: number | undefined) => (to ?? 0) > (from ?? 0) * 1.02;
  const flat =
    last.tensors <= middle.tensors &&
    !grew(middle.gpuMiB, last.gpuMiB) &&
    !grew(middle.processMiB, last.processMiB);
  console.log(JSON.stringify({ what, count, flat, first: looks[0], middle, last }));
  if (!flat) process.exitCode = 1;
  return { what, count, flat, looks };
}

const learner = createLearner({
  backend,
  mode,
  model,
  parameters,
  objectives: ["policy"],
  config: {
    preset: "memagent",
    reference: "none",
    kl: { coefficient: 0 },
    measureEntropy: false,
    precision,
    lora: { rank: 8, alpha: 16, targets: "all-linear" },
    buckets: [bucket],
  },
});
const groups = fullRowGroups({ ...bucket, vocabSize, groupSize: 8 });
const results = [
  await watched("updates", Number(flags.updates), async (from, to) => {
    for (let update = from; update < to; update++) await learner.update(groups);
  }),
];
learner.close();

const sampler = createSampler({
  backend,
  config: model,
  parameters,
  weightsHash: "bench",
  precision,
  mode,
  cache: "slots",
  maxLength: 256,
  maxBatch: 64,
});
/** Samples requests of different prompts and lengths, as many in flight as the sampler has rows. */
async function sample(from: number, to: number): Promise<void> {
  let next = from;
  const client = async (): Promise<void> => {
    while (next < to) {
      const seed = next++;
      const promptTokenIds = Array.from(
        { length: 8 + (seed % 96) },
        (_, place) => (seed * 31 + place * 17) % vocabSize,
      );
      await sampler.generate({
        promptTokenIds,
        maxTokens: 4 + (seed % 60),
        temperature: 1,
        stopTokenIds: [],
        seed,
      });
    }
  };
  await Promise.all(Array.from({ length: 64 }, client));
}
await sampler.prepare();
results.push(await watched("calls of the sampler", Number(flags.calls), sample));
await sampler.close();
if (flags.json !== undefined) writeResult(flags.json, results);
process.exit();
