/**
 * Responsibility: checks whether the rates that a recipe's curriculum uses were measured in the way in which the run
 *   plays.
 * Not responsible for: checking that the rates belong to the run's questions, which datasets does by their texts.
 */
import { PassRates } from "@palimpsest/datasets";
import type { BuiltModule } from "../modules/build-module.js";
import { keptRecipe } from "../modules/recipe-modules.js";
import type { Recipe } from "../recipe/recipe-schema.js";

/**
 * Returns the parts of a recipe that determine how its questions are played and scored; modules are identified by their
 * contents.
 */
export function ratedPlay(recipe: Recipe, built: readonly BuiltModule[]): Readonly<Record<string, unknown>> {
  const { agent, reward, rollout } = keptRecipe(recipe, built);
  const { temperature, maxTokens } = rollout;
  return { agent, reward: reward.config, sampling: { temperature, maxTokens } };
}

/**
 * Returns a notice if rates were measured with another model, agent, reward or sampling than the run's. That may be intended, for example if the
 * rating of one model serves several runs.
 * @param weightsHash hash of the run's initial weights; absent: the models are not compared
 * @returns undefined if nothing differs, if there are no rates, or if their file does not say how they were measured
 */
export async function otherRates(
  recipe: Recipe,
  built: readonly BuiltModule[],
  { weightsHash, signal }: { readonly weightsHash?: string; readonly signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  const { passRates } = recipe.curriculum;
  if (passRates === undefined) return undefined;
  const settings = await PassRates.settingsOf(passRates.path, signal);
  if (settings === undefined) return undefined;
  const now = {
    ...(weightsHash === undefined ? {} : { model: { weightsHash } }),
    ...ratedPlay(recipe, built),
  };
  const other = Object.entries(now).flatMap(([name, value]) =>
    settings[name] === undefined || sameJson(settings[name], value) ? [] : [name],
  );
  if (other.length === 0) return undefined;
  return `curriculum.passRates.path: "${passRates.path}" was rated with another ${other.join(" and another ")} than the run's, so that questions may be easier or harder for this run than their rates; unless you intend that, rate them again with \`palimpsest data rate\``;
}

/** Compares two values as JSON, regardless of the order of their fields. */
function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
