/**
 * Measures how whole weights travel on one machine, in one command and without a network: from a learner's device into the store of a
 * node, and from there into the devices of two samplers, each in a process of its own, which fetch what is stored while the learner
 * reads the rest, and sample meanwhile. Weights are random. Prints a line of JSON per round with the seconds of all parts, and a table: GB/s
 * and the longest times that a sampler gave no token and its event loop did not run; with --json FILE it also writes the figures. It ends
 * after --limit seconds, with what it has measured. Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/weights.ts [--shape tiny|half|3b|4b|7b] [--type bfloat16|float32] [--rounds 3]
 *   [--samplers 2] [--gpus 1] [--updates staged|in-flight] [--limit 150] [--json FILE]
 * --type: in what matrices travel; samplers keep them in bfloat16 either way. --gpus: the learner has the first, samplers the others in turn.
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fileThreads } from "../../packages/runtime/node/src/base/child-environment.js";
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
    updates: { type: "string", default: "staged" },
    limit: { type: "string", default: "150" },
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
    ...{
      role,
      model,
      type: flags.type,
      updates: flags.updates,
      token: cluster.token,
      holder: cluster.client.sessionId,
    },
    ...{ address: node?.objectsAddress, redisUrl: cluster.client.facts.redisUrl },
  };
  const program = fileURLToPath(new URL("weights-side.ts", import.meta.url));
  const tsx = ["--import", "tsx", "--conditions=@palimpsest/source", "--max-old-space-size=8192"];
  const threads = Object.entries(fileThreads(availableParallelism(), process.env["UV_THREADPOOL_SIZE"]));
  const environment = [`CUDA_VISIBLE_DEVICES=${gpu}`, ...threads.map(([key, value]) => `${key}=${value}`)];
  const args = [...environment, process.execPath, ...tsx, program, JSON.stringify(given)];
  return new Contender(name, "env", args, "inherit");
};
const known = await cluster.client.nodes();
const figures: object[] = [];
const sides: Contender[] = [];
setTimeout(() => {
  console.log(JSON.stringify({ failed: `not done after ${flags.limit} s`, rounds: figures.length }));
  // Their input ends with this process, and so do they.
  process.exit(1);
}, 1000 * Number(flags.limit)).unref();
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
    // The first weights make the samplers.
    const early = round === 0 ? undefined : samplers.map((sampler) => sampler.ask({ policyVersion: round }));
    const published = (await learner.ask({})) as Published | undefined;
    if (published === undefined) throw new Error("the learner has ended");
    const answers = early ?? samplers.map((sampler) => sampler.ask({ policyVersion: round }));
    const loaded = ((await Promise.all(answers)) as (Loaded | undefined)[]).flatMap((one) => one ?? []);
    if (loaded.length < samplers.length) throw new Error("a sampler has ended");
    const { bytes, beganAtMs, announcedAtMs, weightsHash, ...parts } = published;
    const { readSeconds } = parts;
    const seconds = (atMs: number) => (atMs - beganAtMs) / 1000;
    const rate = (took: number) => (bytes / 1e9 / took).toFixed(2);
    const whole = seconds(Math.max(...loaded.map(({ loadedAtMs }) => loadedAtMs)));
    const figure = {
      ...{ round, bytes, learnerToSamplers: whole, announced: seconds(announcedAtMs), ...parts },
      loaded: loaded.map(({ loadedAtMs, mappedAtMs, givenAtMs, tokens: _, ...one }) => ({
        ...{ ...one, seconds: seconds(loadedAtMs), mapped: seconds(mappedAtMs) },
        ...(givenAtMs === 0 ? {} : { given: seconds(givenAtMs) }),
      })),
      equal:
        new Set(loaded.map(({ tokens }) => tokens.join())).size === 1 &&
        loaded.every((one) => one.weightsHash === weightsHash),
    };
    figures.push(figure);
    const short = (_: string, value: unknown) =>
      typeof value === "number" && !Number.isInteger(value) ? Number(value.toFixed(3)) : value;
    console.log(
      JSON.stringify({ shape: flags.shape, type: flags.type, updates: flags.updates, ...figure }, short),
    );
    console.log(
      `round ${round}${round === 0 ? " (the samplers are made)" : ""}: ${(bytes / 1e9).toFixed(2)} GB in ${flags.type}; learner to ${count} samplers ${whole.toFixed(2)} s; hash and tokens equal: ${figure.equal}`,
    );
    const stored = seconds(announcedAtMs);
    console.table([
      {
        part: `learner: read (${readSeconds.toFixed(2)} s), store (${parts.storeSeconds.toFixed(2)} s)`,
        seconds: stored.toFixed(2),
        "GB/s": rate(stored),
      },
      ...figure.loaded.map((one, index) => ({
        part: `sampler ${index}: mapped (${one.mapSeconds.toFixed(2)} s), copied (${one.uploadSeconds.toFixed(2)} s)`,
        seconds: one.seconds.toFixed(2),
        "GB/s": rate(one.seconds),
        "no token for ms": one.sampleStallMs.toFixed(0),
        "event loop stood ms": one.loopStallMs.toFixed(0),
      })),
    ]);
    if (flags.json) writeResult(flags.json, { shape: flags.shape, type: flags.type, gpus, figures } as never);
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
