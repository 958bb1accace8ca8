import { readdirSync } from "node:fs";
import { join } from "node:path";
import { trainBaseTokenizer } from "@palimpsest/small-world/base";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { planRun } from "../run/dry-run.js";
import { readBaseRecipe } from "./base-recipe-file.js";
import { builtinRecipesDir } from "./model-source.js";
import { readRecipe } from "./recipe.js";
import type { Recipe } from "./recipe-schema.js";

/** Empty: no recipe may need a model or a file that is not here. */
const cacheDir = fileFolder();

const files = readdirSync(builtinRecipesDir, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".yaml") && !/^(evals|adapters|boards)\//.test(file))
  .sort();
const bases = files.filter((file) => file.endsWith("-base.yaml"));
const runs = files.filter((file) => !bases.includes(file));

/** The published agents at their own sizes: the number of GPUs that each is for. */
const fullSize = [
  ["memagent/qwen3-4b-vime.yaml", 4],
  ["memagent/qwen2.5-7b.yaml", 8],
  ["memagent/qwen2.5-14b.yaml", 8],
  ["rememr1/qwen2.5-3b.yaml", 8],
  ["rememr1/qwen2.5-7b.yaml", 8],
  ["memupdate/qwen2.5-3b-locomo.yaml", 4],
] as const;
const planOf = (recipe: Recipe) => planRun(recipe, { cacheDir, memoryBytes: 8 * 2 ** 30 });

describe("a recipe of full size", () => {
  it.each(fullSize)(
    "%s uses the GPUs it names, by the split that takes the least time",
    async (file, gpus) => {
      const { recipe } = readRecipe(join(builtinRecipesDir, file));
      expect(recipe.learnerGpus + recipe.rollout.actors).toBe(gpus);
      expect(recipe.learner.lora).toBe(null);
      const { layout, layouts, problems } = await planOf(recipe);
      expect(problems).toEqual([]);
      expect(layouts[0]?.layout).toEqual(layout);
      expect(recipe.train.checkpointEverySteps).toBe(10);
      expect(recipe.evaluation).toMatchObject({ tasks: 128, everySteps: 10 });
      expect(recipe.rollout.cacheTokens).toBe(undefined);
    },
  );

  it.each(fullSize)(
    "%s fills at least 90 of 100 positions, with rows of 400 to 600 reply tokens, too",
    async (file) => {
      const { recipe } = readRecipe(join(builtinRecipesDir, file));
      expect((await planOf(recipe)).step.filled).toBeGreaterThanOrEqual(0.9);
      if (recipe.agent.kind !== "memagent" && recipe.agent.kind !== "rememr1") return;
      const replyShare = 500 / recipe.agent.config.memoryTokens;
      const plan = { questionTokens: 32, ...recipe.plan, replyShare };
      expect((await planOf({ ...recipe, plan })).step.filled).toBeGreaterThanOrEqual(0.9);
    },
  );

  it("MemAgent with all weights of 7B takes at most 12 days on eight GPUs of 80 GB", async () => {
    const { recipe } = readRecipe(join(builtinRecipesDir, "memagent/qwen2.5-7b.yaml"));
    expect(recipe).toMatchObject({ plan: { gpusPerNode: 8, gpuGib: 79 }, train: { steps: 400 } });
    expect((await planOf(recipe)).time.expectedTotalSeconds / 86_400).toBeLessThan(12);
  });
});

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
