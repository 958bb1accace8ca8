import type { AgentSettings } from "@palimpsest/agents";
import { agentOfRun, holdsRunModel, readRecipe } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";

/**
 * The agent of a recipe's file; without one, of the run (or checkpoint) that is evaluated.
 * @throws {PalimpsestError} CONFIG_INVALID, NOT_FOUND
 */
export function trainedAgent(recipe: string | undefined, model: string | undefined): AgentSettings {
  if (recipe !== undefined) return readRecipe(recipe).recipe.agent;
  if (model !== undefined && holdsRunModel(model)) return agentOfRun(model);
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `contestants: "trained" is the agent of a run, and --model ${model ?? "(none)"} is no run's folder; name its recipe with --set trained.recipe=FILE`,
  );
}
