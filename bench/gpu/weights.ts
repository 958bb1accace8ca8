/**
 * Measures how whole weights travel on one machine, in one command and without a network: from a learner's device into the store of a
 * node, and from there into the devices of two samplers, each in a process of its own. Weights are random. Prints one table per round:
 * seconds, GB/s and the longest time that the sampler's event loop did not run; with --json FILE it also writes the figures. Needs
 * built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/weights.ts [--shape tiny|half|3b|4b|7b] [--type bfloat16|float32] [--rounds 3]
 *   [--samplers 2] [--gpus 1] [--json FILE]
 * --type: in what matrices travel; samplers keep them in bfloat16 either way. --gpus: the learner has the first, samplers the others in turn.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { TestCluster } from "../../test/support/test-cluster.js";
import { Contender } from "../contender.js";
import { shapes } from "../model/shapes.js";
import { writeResult } from "../result-file.js";
import type { Loaded, Published } from "./weights-side.js";

const { values: flags } = parseArgs({
  options: {
    shape: { type: "string", default: "3b" },
    type: { type: "string", default: "bfloat16" },
    rounds: { type: "string", default: "3" },
    samplers: { type: "string", default: "2" },
    gpus: { type: "string", default: "1" },
    json: { type: "string" },
  },
});

const half = shapes["qwen-0.5b"];
const three = { ...half, hiddenSize: 2048, layers: 36, heads: 16, headDim: 128, intermediateSize: 11_008 };
const models: Readonly<Record<string, object>> = {
  tiny: { ...shapes.tiny, architecture: "qwen2" },
  half,
  "3b": three,
  "4b": {
    ...three,
    ...{ architecture: "qwen3", hiddenSize: 2560, heads: 32, kvHeads: 8, intermediateSize: 9728 },
  },
  "7b": {
    ...three,
    ...{ hiddenSize: 3584, layers: 28, heads: 28, kvHeads: 4, intermediateSize: 18_944 },
    ...{ vocabSize: 152_064, tieWordEmbeddings: false },
  },
};
const model = models[flags.shape];
if (model === undefined) throw new Error(`--shape ${flags.shape}: give ${Object.keys(models).join(", ")}`);

const gpus = Number(flags.gpus);
const cluster = await TestCluster.start();
const side = (name: string, role: "learner" | "sampler", gpu: number): Contender => {
  const [node] = known;
  const given = {
    ...{ role, model, type: flags.type, token: cluster.token, holder: cluster.client.sessionId },
    address: node?.objectsAddress,
  };
  const program = fileURLToPath(new URL("weights-side.ts", import.meta.url));
  const tsx = ["--import", "tsx", "--conditions=@palimpsest/source", "--max-old-space-size=8192"];
  const args = [`CUDA_VISIBLE_DEVICES=${gpu}`, process.execPath, ...tsx, program, JSON.stringify(given)];
  return new Contender(name, "env", args, "inherit");
};
const known = await cluster.client.nodes();
const figures: object[] = [];
const sides: Contender[] = [];
try {
  const startedAt = performance.now();
  const learner = side("learner", "learner", 0);
  const count = Number(flags.samplers);
  const others = Math.max(1, gpus - 1);
  const samplers = Array.from({ length: count }, (_, index) =>
    side(`sampler ${index}`, "sampler", gpus === 1 ? 0 : 1 + (index % others)),
  );
  sides.push(learner, ...samplers);
  for (let round = 0; round <= Number(flags.rounds); round++) {
    const published = (await learner.ask({})) as Published | undefined;
    if (published === undefined) throw new Error("the learner has ended");
    const { manifest } = published;
    const loaded = (await Promise.all(samplers.map((sampler) => sampler.ask({ manifest })))) as (
      | Loaded
      | undefined
    )[];
    const bytes = published.bytes;
    const rate = (seconds: number) => Number((bytes / 1e9 / seconds).toFixed(2));
    const figure = {
      round,
      bytes,
      publish: published.seconds,
      read: published.readSeconds,
      publishedGbPerSecond: rate(published.seconds),
      loaded: loaded.map((one) => one ?? "the sampler has ended"),
      learnerToSamplers:
        published.seconds +
        Math.max(...loaded.map((one) => (one?.fetchSeconds ?? 0) + (one?.applySeconds ?? 0))),
      equal: new Set(loaded.map((one) => JSON.stringify(one?.tokens))).size === 1,
    };
    figures.push(figure);
    console.log(
      `round ${round}${round === 0 ? " (the samplers are made)" : ""}: ${(bytes / 1e9).toFixed(2)} GB in ${flags.type}; learner to ${count} samplers ${figure.learnerToSamplers.toFixed(2)} s; samplers agree: ${figure.equal}`,
    );
    console.table([
      {
        part: `learner: read (${published.readSeconds.toFixed(2)} s), hash, store`,
        seconds: published.seconds.toFixed(2),
        "GB/s": rate(published.seconds),
      },
      ...loaded.flatMap((one, index) =>
        one === undefined
          ? []
          : [
              {
                part: `sampler ${index}: fetch`,
                seconds: one.fetchSeconds.toFixed(2),
                "GB/s": rate(one.fetchSeconds),
                "longest stall ms": one.fetchStallMs.toFixed(0),
              },
              {
                part: `sampler ${index}: check and write${round === 0 ? ", made" : ""}`,
                seconds: one.applySeconds.toFixed(2),
                "GB/s": rate(one.applySeconds),
                "longest stall ms": one.applyStallMs.toFixed(0),
              },
            ],
      ),
    ]);
  }
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0)} s in all`);
  const peaks = await Promise.all(sides.map((one) => one.close()));
  console.log(JSON.stringify({ peaks }));
  if (flags.json)
    writeResult(flags.json, { shape: flags.shape, type: flags.type, gpus, figures, peaks } as never);
} finally {
  for (const one of sides) await one.close();
  await cluster.stop();
}
