import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { engineSettingsSchema } from "../recipe/engine-settings.js";
import { builtinRecipesDir } from "../recipe/model-source.js";
import { readRecipe } from "../recipe/recipe.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { planRun, recipeForGpus } from "../run/dry-run.js";
import { placementProblems } from "./plan-layout.js";

const seven = readRecipe(join(builtinRecipesDir, "memagent/qwen2.5-7b.yaml")).recipe;
const four = readRecipe(join(builtinRecipesDir, "memagent/qwen3-4b-vime.yaml")).recipe;
const options = { cacheDir: fileFolder(), memoryBytes: 8 * 2 ** 30 };
const adapted = (recipe: Recipe): Recipe => ({
  ...recipe,
  learner: { ...recipe.learner, lora: { ...{ rank: 64, alpha: 128 }, targets: "all-linear" } },
});
const leasing = (
  learnerActors: number,
  learnerGpus: number,
  actors: number,
  gpus: number,
  plan: object,
): Recipe => ({
  ...seven,
  ...{ learnerActors, learnerGpus },
  rollout: { ...seven.rollout, actors, gpus },
  plan: { questionTokens: 32, ...plan },
});

describe("placementProblems", () => {
  it("refuses what the machines have no room for, and names what to change", () => {
    expect(placementProblems(leasing(16, 1, 16, 1, { nodes: 1, gpusPerNode: 8 }))).toEqual([
      "plan: 16 learners of 1 and 16 rollout actors of 1 GPUs have no room on one machine of 8 GPUs; lower learnerActors, learnerGpus or rollout.actors, let --gpus 1x8 split the 8, or raise plan.nodes",
    ]);
    expect(placementProblems(leasing(16, 1, 16, 1, { nodes: 4, gpusPerNode: 8 }))).toEqual([]);
    expect(placementProblems(leasing(1, 16, 7, 1, { nodes: 4, gpusPerNode: 8 }))[0]).toMatch(
      /^learnerGpus: is 16, but plan\.gpusPerNode is 8, and the GPUs of a learner are of one node/,
    );
    // Six of eight GPUs are of one node only.
    expect(placementProblems(leasing(2, 6, 4, 1, { nodes: 2, gpusPerNode: 8 }))).toEqual([]);
    expect(placementProblems(leasing(3, 6, 4, 1, { nodes: 2, gpusPerNode: 11 }))).toHaveLength(1);
    expect(placementProblems(leasing(16, 1, 16, 1, {}))).toEqual([]);
  });

  it("lets shares of a GPU have one GPU, as the cluster does", () => {
    expect(placementProblems(leasing(1, 0.5, 1, 0.5, { gpusPerNode: 1 }))).toEqual([]);
    expect(placementProblems(leasing(1, 0.5, 2, 0.5, { gpusPerNode: 1 }))).toHaveLength(1);
    expect(placementProblems(leasing(1, 0.6, 2, 0.5, { gpusPerNode: 2 }))).toEqual([]);
    expect(placementProblems(leasing(1, 0.6, 3, 0.5, { gpusPerNode: 2 }))).toHaveLength(1);
  });

  it("is part of a dry run", async () => {
    const learner = {
      ...adapted(seven).learner,
      ...{ replicas: 1, memory: { ...seven.learner.memory, optimizerState: "whole" as const } },
    };
    const recipe = { ...leasing(16, 1, 16, 1, { ...seven.plan, gpusPerNode: 8 }), learner };
    const { problems } = await planRun(recipe, options);
    expect(problems).toContainEqual(expect.stringContaining("have no room on one machine of 8 GPUs"));
  });
});

describe("recipeForGpus", () => {
  it("has a recipe for other GPUs by one number", async () => {
    const eight = await recipeForGpus(four, { nodes: 1, gpusPerNode: 8 }, options);
    expect(eight.learnerGpus + eight.rollout.actors).toBe(8);
    expect(eight.learner).toMatchObject({
      replicas: eight.learnerGpus,
      memory: { optimizerState: "sharded" },
    });
    const own = await planRun(four, options);
    const { time, problems, layouts, layout } = await planRun(eight, options);
    expect(problems).toEqual([]);
    expect(layouts[0]?.layout).toEqual(layout);
    expect(time.expectedTotalSeconds).toBeLessThan(0.6 * own.time.expectedTotalSeconds);
    // More machines add rollout actors, as long as these are what is waited for.
    const many = await recipeForGpus(four, { nodes: 4, gpusPerNode: 8 }, options);
    expect(many.learnerGpus).toBeLessThanOrEqual(8);
    expect(many.learnerActors * many.learnerGpus + many.rollout.actors).toBe(32);
  });

  it("shares one GPU, and says that only adapters fit where all weights do not", async () => {
    const alone = { nodes: 1, gpusPerNode: 1 };
    const whole = await recipeForGpus(four, alone, options);
    expect(whole).toMatchObject({ learnerGpus: 0.5, rollout: { gpus: 0.5, actors: 1 } });
    expect((await planRun(whole, options)).problems).toContainEqual(
      expect.stringMatching(
        /no setting but learner\.lora fits it on this GPU: set learner\.replicas and learnerGpus to 2/,
      ),
    );
    const few = await recipeForGpus(adapted(four), alone, options);
    expect((await planRun(few, options)).problems).toEqual([]);
    expect(few.rollout.maxBatch).toBeLessThan(four.rollout.maxBatch);
  });

  it.each([
    ["adapters", adapted(seven), "whole"],
    ["all weights", seven, "sharded"],
  ] as const)(
    "trains %s with learners on several machines, and counts what they exchange",
    async (_, of, state) => {
      const recipe = await recipeForGpus(of, { nodes: 4, gpusPerNode: 8 }, options);
      expect(recipe.learnerActors).toBeGreaterThan(1);
      expect(recipe.learnerActors * recipe.learnerGpus).toBeGreaterThan(8);
      expect(recipe.learner).toMatchObject({
        replicas: recipe.learnerGpus,
        memory: { optimizerState: state },
      });
      const { problems, time, devices } = await planRun(recipe, options);
      expect(problems).toEqual([]);
      expect(time.expected.exchange).toBeGreaterThan(0);
      expect(time.expected.update).toBeGreaterThan(time.expected.exchange);
      expect(devices.learner).toContain("25 Gbit/s, as is assumed, each way: ");
      const slow = await planRun(
        { ...recipe, plan: { questionTokens: 32, ...recipe.plan, networkGbits: 1 } },
        options,
      );
      expect(slow.devices.learner).toContain("1 Gbit/s each way: ");
      expect(slow.devices.learner).toContain(" exchange 0.1 GB/s");
      expect(slow.time.expected.exchange).toBeGreaterThan(time.expected.exchange);
      const one = await planRun(await recipeForGpus(of, { nodes: 1, gpusPerNode: 8 }, options), options);
      expect(one.time.expected.exchange).toBe(0);
      expect(time.expectedTotalSeconds).toBeLessThan(one.time.expectedTotalSeconds);
    },
  );

  it("has no more actors than a step has episodes, and no more than a recipe may have", async () => {
    const few: Recipe = {
      ...seven,
      train: { ...seven.train, groupsPerStep: 2 },
      learner: { ...seven.learner, groupSize: 8, miniBatches: 2 },
    };
    expect((await recipeForGpus(few, { nodes: 16, gpusPerNode: 8 }, options)).rollout.actors).toBe(16);
    const many = await recipeForGpus(seven, { nodes: 200, gpusPerNode: 8 }, options);
    expect(many.rollout.actors).toBeLessThanOrEqual(1024);
    await expect(recipeForGpus(seven, { nodes: 2000, gpusPerNode: 8 }, options)).rejects.toThrow(
      /CONFIG_INVALID.*--gpus 2000x8: plan\.nodes/,
    );
  });

  it("leaves the actors of engines as they are, and splits the learner alone", async () => {
    const engine = engineSettingsSchema.parse({ kind: "vllm", addresses: ["http://127.0.0.1:1"] });
    const rollout = { ...four.rollout, actors: 1, gpus: 0, engine };
    const recipe: Recipe = { ...four, rollout, train: { ...four.train, maxStaleness: 0 } };
    const eight = await recipeForGpus(recipe, { nodes: 1, gpusPerNode: 8 }, options);
    expect(eight.rollout).toEqual(recipe.rollout);
    expect(eight.learnerGpus).toBeGreaterThan(1);
    const alone = await recipeForGpus(adapted(recipe), { nodes: 1, gpusPerNode: 1 }, options);
    expect([alone.learnerGpus, alone.rollout.gpus]).toEqual([1, 0]);
    const leased = { ...recipe, rollout: { ...recipe.rollout, gpus: 1 } };
    const seventh = await recipeForGpus(leased, { nodes: 1, gpusPerNode: 8 }, options);
    expect(seventh.learnerGpus).toBeLessThanOrEqual(7);
  });

  it("gives a recipe that could have been written: no lanes on a GPU", async () => {
    const lanes = { ...seven, rollout: { ...seven.rollout, lanes: 4, gpus: 0, threads: 8 } };
    const recipe = await recipeForGpus(lanes, { nodes: 1, gpusPerNode: 8 }, options);
    expect(recipe.rollout).toMatchObject({ lanes: 1, gpus: 1 });
    const unscored = { ...seven, train: { ...seven.train, minGroupSize: 100 } };
    await expect(recipeForGpus(unscored, { nodes: 1, gpusPerNode: 8 }, options)).rejects.toThrow(
      /--gpus 1x8: train\.minGroupSize/,
    );
  });

  it("asks for the memory of a GPU that it cannot look at", async () => {
    const { gpuGib: _, ...plan } = seven.plan ?? { questionTokens: 32 };
    await expect(recipeForGpus({ ...seven, plan }, { nodes: 1, gpusPerNode: 4 }, options)).rejects.toThrow(
      /CONFIG_INVALID.*plan\.gpuGib: is absent/,
    );
  });
});
