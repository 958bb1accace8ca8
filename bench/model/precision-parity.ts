/**
 * Measures how far bfloat16 moves log-probabilities: greedy replies of a model on this CPU in float32 and in bfloat16
 * are compared token by token for as long as both sampled the same tokens.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/model/precision-parity.ts [--single bfloat16|int8: one prompt
 *   after the other, with these weights of a request that runs alone] [--prompts 12] [--new 24] [--model FOLDER]
 *   [--json FILE]
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import { createSampler, loadModel } from "../../packages/learning/model/src/index.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({
  prompts: "12",
  single: "off",
  new: "24",
  model: join(homedir(), ".cache/palimpsest/models/smollm2-135m-instruct"),
  json: undefined,
});

const backend = await loadBackend({ threads: 2 });
const { config, parameters, tokenizer } = await loadModel(flags.model);
if (tokenizer === undefined) throw new Error(`${flags.model} has no tokenizer`);
const subjects = [
  "rivers",
  "bread",
  "the moon",
  "trains",
  "bees",
  "glass",
  "winter",
  "maps",
  "salt",
  "music",
  "ships",
  "paper",
];
const prompts = Array.from({ length: Number(flags.prompts) }, (_, i) =>
  tokenizer.encode(`Here is what is known about ${subjects[i % subjects.length]}, in ${i + 2} sentences.`),
);

type SingleWeights = "off" | "bfloat16" | "int8";

async function replies(precision: "float32" | "bfloat16", singleWeights: SingleWeights) {
  const sampler = createSampler({
    backend,
    config,
    parameters,
    precision,
    singleWeights,
    maxBatch: prompts.length,
    maxLength: 128,
    weightsHash: "bench",
  });
  const reply = (promptTokenIds: readonly number[]) =>
    sampler.generate({
      promptTokenIds,
      maxTokens: Number(flags.new),
      temperature: 0,
      seed: 0,
      stopTokenIds: [],
    });
  const results: Awaited<ReturnType<typeof reply>>[] = [];
  if (singleWeights === "off") results.push(...(await Promise.all(prompts.map(reply))));
  else {
    // The decoder is made for the first prompt, which is therefore sampled once more.
    await reply(prompts[0] ?? []);
    for (const prompt of prompts) results.push(await reply(prompt));
  }
  await sampler.close();
  return results;
}

const [full, half] = [
  await replies("float32", "off"),
  await replies(flags.single === "off" ? "bfloat16" : "float32", flags.single as SingleWeights),
];
const moved = full.flatMap(({ tokenIds, rolloutLogprobs }, i) => {
  const other = half[i];
  if (other === undefined) return [];
  const same = tokenIds.findIndex((id, t) => other.tokenIds[t] !== id);
  return rolloutLogprobs
    .slice(0, same < 0 ? tokenIds.length : same)
    .map((value, t) => Math.abs(value - (other.rolloutLogprobs[t] ?? Number.NaN)));
});
moved.sort((a, b) => a - b);
const figures = {
  tokens: moved.length,
  mean: moved.reduce((sum, value) => sum + value, 0) / moved.length,
  median: median(moved),
  p95: moved[Math.floor(moved.length * 0.95)],
  max: moved.at(-1),
};
console.table([figures]);
if (flags.json !== undefined) writeResult(flags.json, figures);
