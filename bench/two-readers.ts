/**
 * Compares two readers, each by its recipe and the models that it trained (one for each seed): they answer the same needle
 * questions, and differences are paired. Also printed: sampled tokens and calls for each, the calls of a reader that
 * leaves with the last evidence, how often gates open where they should, and the seconds of one document read alone.
 * Usage: npx tsx --conditions=@palimpsest/source bench/two-readers.ts --before FILE=FOLDER,FOLDER --after FILE=FOLDER,FOLDER
 *   [--sentences 16,64,256] [--count 256] [--alone 0] [--lanes 64] [--tasks SEED] [--json FILE]
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { chunkDocument, createAgent } from "../packages/learning/agents/src/index.js";
import { pairedDifference } from "../packages/learning/evals/src/index.js";
import { loadBackend } from "../packages/learning/jit/src/index.js";
import { namedEvidence } from "../packages/learning/memory/src/records/index.js";
import { createSampler, loadModel } from "../packages/learning/model/src/index.js";
import { boxedAnswer } from "../packages/learning/rewards/src/index.js";
import { rulerTasks } from "../packages/learning/small-world/src/index.js";
import { readRecipe } from "../packages/learning/trainer/src/index.js";
import { inLanes } from "../packages/runtime/std/src/index.js";
import { writeResult } from "./result-file.js";

const { values: flags } = parseArgs({
  options: {
    before: { type: "string", default: "" },
    after: { type: "string", default: "" },
    sentences: { type: "string", default: "16,64,256" },
    count: { type: "string", default: "256" },
    alone: { type: "string", default: "0" },
    tasks: { type: "string", default: "readers" },
    lanes: { type: "string", default: "64" },
    json: { type: "string" },
  },
});
const backend = await loadBackend();

/** One trained model of a reader. */
async function open(recipeFile: string, folder: string) {
  const { agent: settings } = readRecipe(recipeFile).recipe;
  const { config, parameters, tokenizer } = await loadModel(folder);
  if (tokenizer === undefined) throw new Error(`${folder} has no tokenizer.json`);
  const sampler = createSampler({
    ...{ backend, config, parameters, maxBatch: Number(flags.lanes), maxLength: config.maxPositions },
    prefixCache: false,
  });
  return { sampler, tokenizer, settings, agent: createAgent(settings, { sampler, tokenizer }) };
}

async function readersOf(given: string) {
  const [recipe = "", folders = ""] = given.split("=");
  const readers = [];
  for (const folder of folders.split(",")) readers.push(await open(recipe, folder));
  return { recipe, readers };
}
const [before, after] = [await readersOf(flags.before), await readersOf(flags.after)];
if (before.readers.length !== after.readers.length) throw new Error("give as many models before as after");
const { evaluation } = readRecipe(before.recipe).recipe;
const source = evaluation?.source;
if (source === undefined) throw new Error(`${before.recipe} has no source of evaluations`);

type Reader = (typeof before.readers)[number];
type Task = ReturnType<typeof rulerTasks>[number];

/** Returns the indices of the sections with evidence, and how many sections there are. */
async function evidenceSections({ settings, tokenizer }: Reader, task: Task) {
  if (settings.kind !== "memagent") return { sections: new Set<number>(), total: 0 };
  const { chunks } = await chunkDocument(task.document, tokenizer, settings.config);
  const texts: string[] = [];
  for await (const { tokenIds } of chunks) texts.push(tokenizer.decode(tokenIds));
  const sections = new Set<number>();
  for (const { text } of namedEvidence(task))
    sections.add(texts.findIndex((section) => section.includes(text.trim())));
  return { sections, total: texts.length };
}

async function answered(reader: Reader, tasks: readonly Task[]) {
  const all: Awaited<ReturnType<typeof one>>[] = [];
  const one = async (task: Task, seed: number) => {
    const result = await reader.agent.run(task, { temperature: 0, seed });
    const { sections, total } = await evidenceSections(reader, task);
    const last = Math.max(...sections);
    const steps = result.steps.map(({ written, exit }, at) => ({ written, exit, needed: sections.has(at) }));
    return {
      right: task.answers.some((answer) => boxedAnswer(result.answer)?.trim() === answer),
      sampled: result.counts.sampledTokens,
      calls: result.counts.conversations,
      // An answer is a call, too.
      oracleCalls: last + 2,
      allCalls: total + 1,
      exit: Math.sign(steps.length - 1 - last),
      writes: steps.filter(({ written }) => written === true).length,
      needed: sections.size,
      rightWrites: steps.filter(({ written, needed }) => written === true && needed).length,
    };
  };
  await inLanes(tasks.entries(), { lanes: Number(flags.lanes) }, async ([at, task]) => {
    all[at] = await one(task, at);
  });
  return all;
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const rounded = (value: number) => Number(value.toFixed(4));
const rows: object[] = [];
for (const sentences of flags.sentences.split(",").map(Number)) {
  const pairs: (readonly [
    Awaited<ReturnType<typeof answered>>[number],
    Awaited<ReturnType<typeof answered>>[number],
  ])[] = [];
  const bySeed: object[] = [];
  const seconds = { before: [] as number[], after: [] as number[] };
  for (const [seed, reader] of before.readers.entries()) {
    const other = after.readers[seed] as Reader;
    const tasks = rulerTasks({
      ...source,
      sentences,
      count: Number(flags.count),
      seed: `${flags.tasks}/${sentences}/${seed}`,
    });
    const [first, second] = [await answered(reader, tasks), await answered(other, tasks)];
    const share = (all: readonly { right: boolean }[]) =>
      rounded(all.filter(({ right }) => right).length / all.length);
    bySeed.push({ before: share(first), after: share(second) });
    pairs.push(...first.map((one, at) => [one, second[at] as (typeof second)[number]] as const));
    for (const task of tasks.slice(0, Number(flags.alone)))
      for (const [name, { agent }] of Object.entries({ before: reader, after: other })) {
        const startedAt = performance.now();
        await agent.run(task, { temperature: 0, record: "none" });
        seconds[name === "before" ? "before" : "after"].push((performance.now() - startedAt) / 1000);
      }
  }
  const count = (a: boolean, b: boolean) =>
    pairs.filter(([first, second]) => first.right === a && second.right === b).length;
  const counts = {
    bothRight: count(true, true),
    onlyAfter: count(false, true),
    onlyBefore: count(true, false),
    bothWrong: count(false, false),
  };
  const both = (of: (one: (typeof pairs)[number][0]) => number) => {
    const [first, second] = [0, 1].map(
      (at) => pairs.reduce((sum, pair) => sum + of(pair[at as 0 | 1]), 0) / pairs.length,
    );
    return {
      before: rounded(first ?? 0),
      after: rounded(second ?? 0),
      ratio: rounded((second ?? 0) / (first ?? 1)),
    };
  };
  const mean = (of: (one: (typeof pairs)[number][0]) => number) =>
    pairs.reduce((sum, [, second]) => sum + of(second), 0) / pairs.length;
  const row = {
    sentences,
    bySeed,
    exactMatch: both(({ right }) => Number(right)),
    ...{ counts, ...pairedDifference(counts) },
    sampledTokens: both(({ sampled }) => sampled),
    calls: both(({ calls }) => calls),
    callsOfOracle: rounded(mean(({ calls }) => calls) / mean(({ oracleCalls }) => oracleCalls)),
    callsOfAll: rounded(mean(({ calls, allCalls }) => calls / allCalls)),
    exits: {
      before: rounded(mean(({ exit }) => Number(exit < 0))),
      at: rounded(mean(({ exit }) => Number(exit === 0))),
      after: rounded(mean(({ exit }) => Number(exit > 0))),
    },
    writePrecision: rounded(mean(({ rightWrites }) => rightWrites) / mean(({ writes }) => writes)),
    writeRecall: rounded(mean(({ rightWrites }) => rightWrites) / mean(({ needed }) => needed)),
    ...(flags.alone === "0"
      ? {}
      : { secondsAlone: { before: median(seconds.before), after: median(seconds.after) } }),
  };
  rows.push(row);
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
for (const { sampler } of [...before.readers, ...after.readers]) await sampler.close();
if (flags.json !== undefined)
  writeResult(flags.json, {
    ...{
      before: before.recipe,
      after: after.recipe,
      seeds: before.readers.length,
      count: Number(flags.count),
    },
    ...{ cores: availableParallelism(), rows },
  });
