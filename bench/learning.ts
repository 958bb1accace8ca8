/**
 * Does a recipe learn? Runs it in one process, without the runtime, for some seeds, and as a control with rewards dealt
 * out at random; prints exact match before, after and by length.
 * Usage: npx tsx --conditions=@palimpsest/source bench/learning.ts [recipes/quickstart.yaml] [--seeds 1,2,3]
 *   [--shuffled-seeds 1] [--steps N] [--base FOLDER] [--threads 1] [--json FILE] [--save FOLDER]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { saveModel } from "../packages/model/src/index.js";
import { readRecipe } from "../packages/trainer/src/recipe.js";
import { runInProcess } from "../test/learning/in-process-run.js";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "1,2,3" },
    "shuffled-seeds": { type: "string", default: "1" },
    steps: { type: "string" },
    base: { type: "string" },
    threads: { type: "string", default: "1" },
    json: { type: "string" },
    save: { type: "string" },
  },
});
const { recipe: read } = readRecipe(positionals[0] ?? "recipes/quickstart.yaml");
const recipe = {
  ...read,
  model: flags.base === undefined ? read.model : { path: flags.base },
  train: { ...read.train, steps: flags.steps === undefined ? read.train.steps : Number(flags.steps) },
};
const seedsOf = (text: string) => text.split(",").filter(Boolean).map(Number);
const runs = [
  ...seedsOf(flags.seeds).map((seed) => ({ seed, shuffleRewards: false })),
  ...seedsOf(flags["shuffled-seeds"]).map((seed) => ({ seed, shuffleRewards: true })),
];

const results = [];
for (const { seed, shuffleRewards } of runs) {
  console.log(`seed ${seed}${shuffleRewards ? ", shuffled rewards" : ""}`);
  const startedAt = performance.now();
  const processorBefore = process.cpuUsage();
  const recent: number[] = [];
  let rolloutSeconds = 0;
  let updateSeconds = 0;
  const { before, after, rewards, model } = await runInProcess({
    recipe: { ...recipe, seed },
    seed,
    shuffleRewards,
    threads: Number(flags.threads),
    onStep: (update, step, seconds) => {
      recent.push(update.rewardMean);
      rolloutSeconds += seconds;
      updateSeconds += update.durationMs / 1000;
      if ((step + 1) % 10 !== 0) return;
      const mean = recent.splice(0).reduce((sum, value) => sum + value, 0) / 10;
      const { klK3, entropy, clipFractionHigh, gradientNorm, paddingFraction } = update;
      const facts = {
        klK3,
        entropy,
        clipFractionHigh,
        gradientNorm,
        paddingFraction,
        rolloutSeconds,
        updateSeconds,
      };
      const text = Object.entries(facts).map(([name, value]) => `${name} ${Number(value).toPrecision(3)}`);
      console.log(`  step ${step + 1}: reward ${mean.toFixed(3)}, ${text.join(", ")}, rows ${update.rows}`);
    },
  });
  if (flags.save) await saveModel(join(flags.save, `${seed}${shuffleRewards ? "-shuffled" : ""}`), model);
  const byLength = (evaluation: typeof before) =>
    Object.fromEntries(
      evaluation.lengths.map((length) => [length.lengthTokens, Number(length.exactMatch.toFixed(4))]),
    );
  const { user, system } = process.cpuUsage(processorBefore);
  const result = {
    seed,
    shuffleRewards,
    before: byLength(before),
    after: byLength(after),
    rewards: rewards.map((value) => Number(value.toFixed(4))),
    seconds: Math.round((performance.now() - startedAt) / 1000),
    processorSeconds: Math.round((user + system) / 1e6),
    rolloutSeconds: Math.round(rolloutSeconds),
    updateSeconds: Math.round(updateSeconds),
  };
  results.push(result);
  console.log(JSON.stringify({ ...result, rewards: undefined }));
}
if (flags.json)
  writeFileSync(
    flags.json,
    `${JSON.stringify({ recipe: recipe.name, steps: recipe.train.steps, results }, null, 2)}\n`,
  );
