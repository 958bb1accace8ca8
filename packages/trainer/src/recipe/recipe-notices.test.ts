import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readRecipe } from "./recipe.js";
import { recipeNotices } from "./recipe-notices.js";

const read = (name: string) =>
  readRecipe(fileURLToPath(new URL(`../../../../recipes/${name}.yaml`, import.meta.url))).recipe;

test("the sampler's numbers as old ones are warned of where products are rounded", () => {
  const shipped = read("memagent/smollm2-hotpotqa");
  expect(recipeNotices(shipped)).toEqual([]);
  const learner = { ...shipped.learner, oldLogprobs: "rollout" as const, importance: undefined };
  const inFloat32 = { ...shipped, learner };
  expect(recipeNotices(inFloat32)).toEqual([]);
  const rounded = { ...inFloat32, rollout: { ...inFloat32.rollout, precision: "bfloat16" as const } };
  expect(recipeNotices(rounded)).toEqual([expect.stringContaining("set oldLogprobs to recompute")]);
  expect(recipeNotices(read("memagent/smollm2-hotpotqa-gpu"))).toEqual([]);
});
