/**
 * Measures what reading all sections at once brings: MemAgent, which reads section by section, and the agent parallel
 * answer the same needle questions; exact match over all of them, and the seconds of one document that is read alone,
 * in turns of both.
 * Usage: npx tsx --conditions=@palimpsest/source bench/parallel-reading.ts --serial FOLDER --parallel FOLDER
 *   [--passes 2] [--merge 20] [--sentences 64,256,1024] [--count 256] [--alone 12] [--json FILE]
 * with the models of two runs of `recipes/quickstart.yaml`, the second with `agent: { kind: parallel, preset: tiny,
 * settings: { passes: 2, mergeTokens: 20 } }`.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import {
  memAgent,
  memAgentConfig,
  parallelConfig,
  parallelReader,
} from "../packages/learning/agents/src/index.js";
import { pairedDifference } from "../packages/learning/evals/src/index.js";
import { loadBackend } from "../packages/learning/jit/src/index.js";
import { createSampler, loadModel } from "../packages/learning/model/src/index.js";
import { boxedAnswer } from "../packages/learning/rewards/src/index.js";
import { rulerTasks } from "../packages/learning/small-world/src/index.js";
import { readRecipe } from "../packages/learning/trainer/src/index.js";
import { inLanes } from "../packages/runtime/std/src/index.js";
import { writeResult } from "./result-file.js";

const { values: flags } = parseArgs({
  options: {
    serial: { type: "string", default: "" },
    parallel: { type: "string", default: "" },
    passes: { type: "string", default: "2" },
    merge: { type: "string", default: "20" },
    sentences: { type: "string", default: "64,256,1024" },
    count: { type: "string", default: "256" },
    alone: { type: "string", default: "12" },
    json: { type: "string" },
  },
});
const { evaluation } = readRecipe("recipes/quickstart.yaml").recipe;
const source = evaluation?.source;
if (source === undefined) throw new Error("recipes/quickstart.yaml has no source of evaluations");
const backend = await loadBackend();

async function open(folder: string) {
  const { config, parameters, tokenizer } = await loadModel(folder);
  if (tokenizer === undefined) throw new Error(`${folder} has no tokenizer.json`);
  const sampler = createSampler({
    backend,
    config,
    parameters,
    maxBatch: 64,
    maxLength: config.maxPositions,
    prefixCache: false,
  });
  return { sampler, tokenizer };
}
const [one, other] = [await open(flags.serial), await open(flags.parallel)];
const agents = {
  memagent: memAgent({ ...one, config: memAgentConfig("tiny") }),
  parallel: parallelReader({
    ...other,
    config: parallelConfig("tiny", { passes: Number(flags.passes), mergeTokens: Number(flags.merge) }),
  }),
};
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const rows: object[] = [];
for (const sentences of flags.sentences.split(",").map(Number)) {
  const tasks = rulerTasks({
    ...source,
    sentences,
    count: Number(flags.count),
    seed: `parallel/${sentences}`,
  });
  const answered = async (name: keyof typeof agents) => {
    const all: { right: boolean; counts: { sampledTokens: number } }[] = [];
    await inLanes(tasks.entries(), { lanes: 64 }, async ([at, task]) => {
      const result = await agents[name].run(task, { temperature: 0, seed: at, record: "none" });
      const right = task.answers.some((answer) => boxedAnswer(result.answer)?.trim() === answer);
      all[at] = { right, counts: result.counts };
    });
    return all;
  };
  const [serial, parallel] = [await answered("memagent"), await answered("parallel")];
  const seconds = { memagent: [] as number[], parallel: [] as number[] };
  for (const task of tasks.slice(0, Number(flags.alone)))
    for (const name of ["memagent", "parallel"] as const) {
      const startedAt = performance.now();
      await agents[name].run(task, { temperature: 0, record: "none" });
      seconds[name].push((performance.now() - startedAt) / 1000);
    }
  const share = (all: readonly { right: boolean }[]) => all.filter(({ right }) => right).length / all.length;
  const count = (a: boolean, b: boolean) =>
    serial.filter(({ right }, at) => right === a && parallel[at]?.right === b).length;
  const counts = {
    bothRight: count(true, true),
    onlyAfter: count(false, true),
    onlyBefore: count(true, false),
    bothWrong: count(false, false),
  };
  const mean = (all: readonly { counts: { sampledTokens: number } }[]) =>
    Math.round(all.reduce((sum, { counts: { sampledTokens } }) => sum + sampledTokens, 0) / all.length);
  const row = {
    sentences,
    exactMatch: { memagent: share(serial), parallel: share(parallel) },
    ...pairedDifference(counts),
    sampledTokens: { memagent: mean(serial), parallel: mean(parallel) },
    secondsAlone: { memagent: median(seconds.memagent), parallel: median(seconds.parallel) },
    timeRatio: Number((median(seconds.parallel) / median(seconds.memagent)).toFixed(3)),
  };
  rows.push(row);
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
await one.sampler.close();
await other.sampler.close();
if (flags.json !== undefined)
  writeResult(flags.json, { passes: flags.passes, merge: flags.merge, cores: availableParallelism(), rows });
