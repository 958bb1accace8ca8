import { fileURLToPath } from "node:url";
import { type EvaluationSet, runInProcess } from "../../bench/learning/in-process-run.js";
import { readRecipe } from "../../packages/learning/trainer/src/recipe/recipe.js";

export interface ShortRun {
  /** The path of the recipe, relative to the project's folder. */
  readonly recipe: string;
  readonly steps: number;
  /** The evaluation sets. Default: the recipe's, at the training length alone. */
  readonly sets?: readonly EvaluationSet[];
  readonly signal: AbortSignal;
}

/** Evaluates before and after some updates of a recipe, and returns the mean reward of each update. */
export async function shortRun({ steps, sets, signal, ...run }: ShortRun) {
  const file = fileURLToPath(new URL(`../../${run.recipe}`, import.meta.url));
  const { evaluation, ...recipe } = readRecipe(file).recipe;
  const short = {
    ...recipe,
    ...(evaluation === undefined ? {} : { evaluation: { ...evaluation, lengths: [1] } }),
    train: { ...recipe.train, steps },
  };
  const { curve, rewards } = await runInProcess({
    recipe: short,
    seed: recipe.seed,
    signal,
    ...(sets ? { sets } : {}),
  });
  const [before, after] = [curve[0]?.sets[0], curve.at(-1)?.sets[0]];
  if (before === undefined || after === undefined) throw new Error(`${run.recipe}: has no evaluation`);
  if (before.failures + after.failures > 0)
    throw new Error(`${run.recipe}: episodes of the evaluation failed`);
  const measures = (set: typeof before) => (name: string) => set.measures[name] ?? Number.NaN;
  return { start: measures(before), end: measures(after), rewards };
}
