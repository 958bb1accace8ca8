import { join } from "node:path";
import { expect, it } from "vitest";
import { runInProcess } from "../../bench/learning/in-process-run.js";
import { reverseTwoHopTasks } from "../../packages/learning/small-world/src/index.js";
import { builtinRecipesDir } from "../../packages/learning/trainer/src/recipe/model-source.js";
import { readRecipe } from "../../packages/learning/trainer/src/recipe/recipe.js";

const { recipe } = readRecipe(join(builtinRecipesDir, "rememr1/look-back.yaml"));

it("GRPO teaches ReMemR1 to look back: from rollout through step rewards to the learner, in one process", async ({
  signal,
}) => {
  if (recipe.data.source !== "reverse-two-hop") throw new Error(`data.source: ${recipe.data.source}`);
  const unseen = reverseTwoHopTasks({ ...recipe.data.reverseTwoHop, count: 64, seed: "unseen" });
  const { curve, rewards } = await runInProcess({
    recipe: { ...recipe, train: { ...recipe.train, steps: 6 } },
    seed: 1,
    signal,
    sets: [{ name: "unseen", tasks: unseen }],
  });
  const [before, after] = curve.map(({ sets }) => sets[0]) as [
    (typeof curve)[0]["sets"][0],
    (typeof curve)[0]["sets"][0],
  ];
  for (const set of [before, after]) expect(set).toMatchObject({ n: 64, failures: 0 });
  const rise = (name: string) => (after.measures[name] ?? 0) - (before.measures[name] ?? 0);
  expect(rise("exactMatch")).toBeGreaterThanOrEqual(0.15);
  expect(rise("recalled_memories")).toBeGreaterThan(0.3);
  expect(rise("recallGain")).toBeGreaterThan(0.15);
  const [first, last] = [rewards.slice(0, 2), rewards.slice(-2)].map(
    (part) => part.reduce((sum, reward) => sum + reward, 0) / part.length,
  ) as [number, number];
  expect(last - first).toBeGreaterThan(0.04);
});
