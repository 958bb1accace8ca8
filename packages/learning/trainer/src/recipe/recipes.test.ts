import { readdirSync } from "node:fs";
import { join } from "node:path";
import { trainBaseTokenizer } from "@palimpsest/small-world/base";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { planRun } from "../run/dry-run.js";
import { readBaseRecipe } from "./base-recipe-file.js";
import { builtinRecipesDir } from "./model-source.js";
import { readRecipe } from "./recipe.js";

/** Empty: no recipe may need a model or a file that is not here. */
const cacheDir = fileFolder();

const files = readdirSync(builtinRecipesDir, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".yaml") && !/^(evals|adapters)\//.test(file))
  .sort();
const bases = files.filter((file) => file.endsWith("-base.yaml"));
const runs = files.filter((file) => !bases.includes(file));

describe("the recipes that come along", () => {
  it.each(runs)("%s can run on the machines that it is for", async (file) => {
    const { recipe } = readRecipe(join(builtinRecipesDir, file));
    const plan = await planRun(recipe, { cacheDir, memoryBytes: 8 * 2 ** 30 });
    expect(plan.problems).toEqual([]);
    expect(plan.needs.totalBytes).toBeGreaterThan(plan.parameters * 4);
    expect(plan.time.totalSeconds).toBeGreaterThan(1);
  });

  it.each(bases)("%s gives every word of its world one token", (file) => {
    const recipe = readBaseRecipe(join(builtinRecipesDir, file));
    expect(trainBaseTokenizer(recipe).vocabSize).toBeLessThanOrEqual(recipe.tokenizer.vocabSize);
  });

  // Their vocabulary is small, so that a prompt has more tokens than those that buckets were chosen for: on a GPU one of 400 ended a run.
  it.each(runs.filter((file) => file.includes("random")))("%s trains every row that is sampled", (file) => {
    const { learner, rollout } = readRecipe(join(builtinRecipesDir, file)).recipe;
    const { buckets = [] } = learner;
    expect(Math.max(...buckets.map(({ length }) => length))).toBeGreaterThanOrEqual(rollout.maxTokens);
  });

  it("have names of their own", () => {
    const names = runs.map((file) => readRecipe(join(builtinRecipesDir, file)).recipe.name);
    expect(new Set(names).size).toBe(names.length);
  });
});
