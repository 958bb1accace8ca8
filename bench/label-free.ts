/**
 * Writes the texts that `recipes/memagent/restore.yaml` has its questions from, as JSON lines: each tells what five people
 * like, in 16 sentences drawn with replacement, so that most facts are told more than once and no question is asked.
 * Usage: npx tsx --conditions=@palimpsest/source bench/label-free.ts --out texts.jsonl [--count 4096] [--seed train]
 */
import { writeFileSync } from "node:fs";
import { createRandom } from "../packages/learning/datasets/src/index.js";
import { readRecipe } from "../packages/learning/trainer/src/index.js";
import { benchFlags } from "./flags.js";

const flags = benchFlags({ out: "texts.jsonl", count: "4096", seed: "train" });
const source = readRecipe("recipes/memagent/restore.yaml").recipe.evaluation?.source;
if (source === undefined) throw new Error("recipes/memagent/restore.yaml has no source of evaluations");
const { names, values, fillers, fillerFraction } = source;

const text = (index: number) => {
  const random = createRandom(`${flags.seed}/${index}`);
  const liked = random.shuffle(values);
  const facts = random
    .shuffle(names)
    .slice(0, 5)
    .map((name, at) => `${name} likes ${liked[at]}.`);
  return Array.from({ length: 16 }, () =>
    random.float() < fillerFraction ? random.pick(fillers).trim() : random.pick(facts),
  ).join(" ");
};
const rows = Array.from({ length: Number(flags.count) }, (_, index) => JSON.stringify({ text: text(index) }));
writeFileSync(flags.out, `${rows.join("\n")}\n`);
