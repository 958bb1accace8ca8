/**
 * Trains the small model of a recipe with several seeds, each in this process, and saves each as a model in a folder. A
 * model that is there already is kept.
 * Usage: npx tsx --conditions=@palimpsest/source bench/toys.ts --recipe FILE --out FOLDER [--seeds 1,2,3] [--steps N]
 *   [--models FOLDER,FOLDER] [--labels] [--shuffle]
 * `--models` are what the seeds begin with, one for each or one for all; default: the recipe's. `--labels` trains on the
 * kind of questions that the recipe's evaluation asks; `--shuffle` shuffles the rewards, a control that must not learn.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { saveModel } from "../packages/learning/model/src/index.js";
import { readRecipe, reseededSource, trainInProcess } from "../packages/learning/trainer/src/index.js";
import { taskSourceSchema } from "../packages/learning/trainer/src/recipe/task-source.js";

const { values: flags } = parseArgs({
  options: {
    recipe: { type: "string", default: "" },
    out: { type: "string", default: "" },
    seeds: { type: "string", default: "1,2,3" },
    steps: { type: "string" },
    models: { type: "string" },
    labels: { type: "boolean", default: false },
    shuffle: { type: "boolean", default: false },
  },
});
const { recipe } = readRecipe(flags.recipe);
const models = flags.models?.split(",") ?? [];
const asked = recipe.evaluation?.source;
if (flags.labels && asked === undefined) throw new Error(`${flags.recipe} has no source of evaluations`);
const data = flags.labels
  ? taskSourceSchema.parse({ source: "ruler", ruler: { ...asked, count: 4096, seed: "train" } })
  : recipe.data;
for (const [at, seed] of flags.seeds.split(",").map(Number).entries()) {
  const folder = join(flags.out, String(seed));
  if (existsSync(folder)) continue;
  const steps = flags.steps === undefined ? recipe.train.steps : Number(flags.steps);
  const startedAt = performance.now();
  const path = models[at] ?? models[0];
  const tokens = { read: 0, sampled: 0 };
  const { model } = await trainInProcess({
    shuffleRewards: flags.shuffle,
    recipe: {
      ...recipe,
      ...(path === undefined ? {} : { model: { path: resolve(path) } }),
      seed,
      data: reseededSource(data, seed),
      train: { ...recipe.train, steps },
    },
    onStep({ step, groups, rolloutSeconds }) {
      const members = groups.flatMap((group) => group.members);
      const scores = members.map(({ score }) => score);
      for (const { conversations } of members.map(({ trajectory }) => trajectory))
        for (const { promptTokenIds, sampledTokenIds } of conversations) {
          tokens.read += promptTokenIds.length;
          tokens.sampled += sampledTokenIds.length;
        }
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
  process.stdout.write(`${folder}: ${tokens.sampled} tokens sampled, ${tokens.read} read\n`);
}
