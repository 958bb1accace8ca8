import type { AgentSettings } from "@palimpsest/agents";
import { agentOfRun, holdsRunModel, readRecipe } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";

/**
 * The agent of a recipe's file; without one, of the run (or checkpoint) that it is run on, else of the one that is evaluated:
 * `trained@BASE` is what the run of --model began with.
 * @param own the model that the contestant runs on
 * @param model that of --model
 * @throws {PalimpsestError} CONFIG_INVALID, NOT_FOUND
 */
export function trainedAgent(
  recipe: string | undefined,
  own: string | undefined,
  model: string | undefined,
): AgentSettings {
  if (recipe !== undefined) return readRecipe(recipe).recipe.agent;
  const run = [own, model].find((name) => name !== undefined && holdsRunModel(name));
  if (run !== undefined) return agentOfRun(run);
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `contestants: "trained" is the agent of a run, and --model ${model ?? "(none)"} is no run's folder; name its recipe with --set trained.recipe=FILE`,
  );
}
