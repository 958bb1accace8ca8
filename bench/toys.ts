/**
 * Trains the small model of a recipe with several seeds, each in this process, and saves each as a model in a folder. A
 * model that is there already is kept.
 * Usage: npx tsx --conditions=@palimpsest/source bench/toys.ts --recipe FILE --out FOLDER [--seeds 1,2,3] [--steps N]
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { saveModel } from "../packages/learning/model/src/index.js";
import { readRecipe, reseededSource, trainInProcess } from "../packages/learning/trainer/src/index.js";

const { values: flags } = parseArgs({
  options: {
    recipe: { type: "string", default: "" },
    out: { type: "string", default: "" },
    seeds: { type: "string", default: "1,2,3" },
    steps: { type: "string" },
  },
});
const { recipe } = readRecipe(flags.recipe);
for (const seed of flags.seeds.split(",").map(Number)) {
  const folder = join(flags.out, String(seed));
  if (existsSync(folder)) continue;
  const steps = flags.steps === undefined ? recipe.train.steps : Number(flags.steps);
  const startedAt = performance.now();
  const { model } = await trainInProcess({
    recipe: {
      ...recipe,
      seed,
      data: reseededSource(recipe.data, seed),
      train: { ...recipe.train, steps },
    },
    onStep({ step, groups, rolloutSeconds }) {
      const scores = groups.flatMap(({ members }) => members.map(({ score }) => score));
      const mean = (name: string) =>
        scores.reduce((sum, { components }) => sum + (components[name] ?? 0), 0) / scores.length;
      const names = Object.keys(scores[0]?.components ?? {});
      const known = names
        .filter((name) => !/boxed|f1|sub|contained/i.test(name))
        .map((name) => `${name} ${mean(name).toFixed(3)}`);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      process.stderr.write(
        `seed ${seed} step ${step}: ${known.join(", ")}; ${rolloutSeconds.toFixed(1)} s of rollouts, ${seconds} s in all\n`,
      );
    },
  });
  await saveModel(folder, model);
  process.stdout.write(`${folder}\n`);
}
