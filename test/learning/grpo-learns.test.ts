import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runInProcess } from "../../bench/learning/in-process-run.js";
import { readRecipe } from "../../packages/learning/trainer/src/recipe/recipe.js";

const { recipe } = readRecipe(fileURLToPath(new URL("fixtures/learning-short.yaml", import.meta.url)));

/** Returns greedy exact match at the training length, before and after training. */
async function run(steps: number, shuffleRewards: boolean, signal: AbortSignal) {
  const short = { ...recipe, train: { ...recipe.train, steps } };
  const { curve, rewards } = await runInProcess({ recipe: short, seed: recipe.seed, shuffleRewards, signal });
  const [before, after] = curve.map(({ sets }) => sets[0]);
  for (const set of [before, after]) expect(set).toMatchObject({ n: 128, failures: 0 });
  const exactMatch = (set: typeof before) => set?.measures["exactMatch"] ?? Number.NaN;
  return { before: exactMatch(before), after: exactMatch(after), rewards };
}

describe("GRPO with the base that comes along", () => {
  it("learns which fact to keep: exact match rises by 0.30 and more within 14 updates", async ({
    signal,
  }) => {
    const { before, after, rewards } = await run(recipe.train.steps, false, signal);
    expect(before).toBeLessThan(0.5);
    expect(after - before).toBeGreaterThanOrEqual(0.3);
    const [first, last] = [rewards.slice(0, 6), rewards.slice(-6)].map(
      (part) => part.reduce((sum, reward) => sum + reward, 0) / part.length,
    ) as [number, number];
    expect(last - first).toBeGreaterThan(0.15);
  });

  it("learns nothing when rewards are dealt to the wrong episodes of their group", async ({ signal }) => {
    // In as many updates exact match has risen by 0.4 with the right ones.
    const { before, after } = await run(8, true, signal);
    expect(after - before).toBeLessThanOrEqual(0.05);
  });
});
