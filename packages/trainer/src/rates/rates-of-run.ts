/** Responsibility: whether the rates that a recipe's curriculum goes by were measured as the run itself plays.
 *  Not responsible for: whether they are of the run's questions, which is held to their texts (datasets). */
import { PassRates } from "@palimpsest/datasets";
import type { BuiltModule } from "../modules/build-module.js";
import { keptRecipe } from "../modules/recipe-modules.js";
import type { Recipe } from "../recipe/recipe-schema.js";

/** What of a recipe decides how its questions are played and scored; modules by what they hold. */
export function ratedPlay(recipe: Recipe, built: readonly BuiltModule[]): Readonly<Record<string, unknown>> {
  const { agent, reward, rollout } = keptRecipe(recipe, built);
  const { temperature, maxTokens } = rollout;
  return { agent, reward: reward.config, sampling: { temperature, maxTokens } };
}

/**
 * What a person is told where rates were measured otherwise than the run plays: that may be meant, as a rating of one model does for
 * several runs.
 * @param weightsHash of the weights that the run begins with; absent: they are not compared
 * @returns undefined where nothing differs, there are no rates, or their file does not say how they were measured
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
  return `curriculum.passRates.path: "${passRates.path}" was measured with another ${other.join(", another ")} than the run's, so that its questions may be easier or harder than they are rated; measure again with \`palimpsest data rate\` if that is not meant`;
}

/** As a file keeps it: whatever order its fields are in. */
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
