/**
 * How far bfloat16 moves log-probabilities: greedy replies of a model on this CPU in float32 and in bfloat16, compared token by token
 * as long as both drew the same ones.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/model/precision-parity.ts [--prompts 12] [--new 24] [--model FOLDER] [--json FILE]
 */
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadBackend } from "../../packages/jit/src/index.js";
import { createSampler, loadModel } from "../../packages/model/src/index.js";
import { median } from "../contender.js";

const { values: flags } = parseArgs({
  options: {
    prompts: { type: "string", default: "12" },
    new: { type: "string", default: "24" },
    model: { type: "string", default: join(homedir(), ".cache/palimpsest/models/smollm2-135m-instruct") },
    json: { type: "string" },
  },
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

async function replies(precision: "float32" | "bfloat16") {
  const sampler = createSampler({
    backend,
    config,
    parameters,
    precision,
    maxBatch: prompts.length,
    maxLength: 128,
    weightsHash: "bench",
  });
  const results = await Promise.all(
    prompts.map((promptTokenIds) =>
      sampler.generate({
        promptTokenIds,
        maxTokens: Number(flags.new),
        temperature: 0,
        seed: 0,
        stopTokenIds: [],
      }),
    ),
  );
  await sampler.close();
  return results;
}

const [full, half] = [await replies("float32"), await replies("bfloat16")];
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
if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
