import type { AgentKind, AgentSettings } from "@palimpsest/agents";
import {
  agentModuleOfRun,
  agentOfRun,
  holdsRunModel,
  openRecipeModules,
  readRecipe,
} from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";

/**
 * Returns the agent of a recipe's file. Without a file, returns the agent of the run (or checkpoint) `own` or, if that
 * is no run, of `model`: `trained@BASE` is the agent of the run that --model names, with the base model's weights.
 * @param own the model on which the system runs
 * @param model the model of --model
 * @throws {PalimpsestError} CONFIG_INVALID, NOT_FOUND
 */
export function trainedAgent(
  recipe: string | undefined,
  own: string | undefined,
  model: string | undefined,
): AgentSettings {
  if (recipe !== undefined) return readRecipe(recipe).recipe.agent;
  const run = runOf(own, model);
  if (run !== undefined) return agentOfRun(run);
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `systems: "trained" is the agent that a run trained, and --model ${model ?? "(none)"} is not the folder of a run; give such a folder, or name the recipe with --set trained.recipe=FILE`,
  );
}

/**
 * Loads the export of the module that `trainedAgent` names: for a run the code that it keeps, for a recipe its file.
 * @throws {PalimpsestError} CONFIG_INVALID with file, line and fix; NOT_FOUND
 */
export async function trainedModule(
  recipe: string | undefined,
  own: string | undefined,
  model: string | undefined,
): Promise<AgentKind | undefined> {
  if (recipe !== undefined) {
    const read = readRecipe(recipe).recipe;
    return read.agent.kind === "module" ? (await openRecipeModules(read)).loaded.agent : undefined;
  }
  const run = runOf(own, model);
  return run === undefined ? undefined : await agentModuleOfRun(run);
}

const runOf = (own: string | undefined, model: string | undefined) =>
  [own, model].find((name) => name !== undefined && holdsRunModel(name));
