import { fileURLToPath } from "node:url";
import { LearnerConfig } from "@palimpsest/learner";
import { expect, test } from "vitest";
import { readRecipe } from "./recipe.js";
import { recipeNotices } from "./recipe-notices.js";

const read = (name: string) =>
  readRecipe(fileURLToPath(new URL(`../../../../../recipes/${name}.yaml`, import.meta.url))).recipe;

test("a schedule that ends before the run is warned of, as one is whose run was made longer", () => {
  const shipped = read("memagent/smollm2-hotpotqa");
  const schedule = {
    kind: "cosine",
    learningRate: 1e-4,
    totalSteps: 30,
    endFraction: 0.1,
    warmupSteps: 0,
  } as const;
  const decaying = (steps: number) =>
    recipeNotices({
      ...shipped,
      learner: { ...shipped.learner, schedule, epochs: 1, miniBatches: 2 },
      train: { ...shipped.train, steps },
    });
  expect(decaying(15)).toEqual([]);
  expect(decaying(20)).toEqual([
    expect.stringMatching(
      /totalSteps is 30, but train\.steps 20 make 40 optimizer steps.*rate 0\.00001; raise totalSteps to 40/,
    ),
  ]);
});

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

test("a preset of another system is told to be one of advantage and loss, where the optimizer is nobody's choice", () => {
  const { learner, rollout, train } = read("quickstart");
  const { optimizer: _, schedule: __, ...others } = learner;
  const notices = (own: object) =>
    recipeNotices({ rollout, train, learner: LearnerConfig.parse({ ...others, preset: "verl", ...own }) });
  expect(notices({})).toEqual([
    expect.stringMatching(
      /preset is verl, which sets neither optimizer nor schedule: this run has beta2 0\.95, weightDecay 0 and a learningRate of 0\.0005, and verl itself beta2 0\.999, weightDecay 0\.01/,
    ),
  ]);
  expect(notices({ optimizer: { beta2: 0.999, weightDecay: 0.01 } })).toEqual([]);
  expect(notices({ schedule: { learningRate: 1e-6 } })).toEqual([]);
  expect(notices({ preset: "memagent" })).toEqual([]);
});
