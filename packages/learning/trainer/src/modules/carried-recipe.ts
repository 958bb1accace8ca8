import { parseDocument } from "yaml";
import { parseRecipe, portableRecipe } from "../recipe/recipe.js";
import { type BuildOptions, moduleUrl } from "./build-module.js";
import { modulePaths } from "./module-fields.js";
import { openRecipeModules } from "./recipe-modules.js";

/**
 * Returns the recipe's text with absolute paths and with its modules included, to be sent to another machine.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export async function carriedRecipe(
  text: string,
  baseDir: string,
  name: string,
  options: BuildOptions = {},
): Promise<string> {
  const portable = portableRecipe(text, baseDir, name);
  const { built } = await openRecipeModules(parseRecipe(portable, baseDir, name), options);
  if (built.length === 0) return portable;
  const document = parseDocument(portable);
  for (const module of built) document.setIn(modulePaths[module.role], moduleUrl(module));
  return document.toString();
}
