import { type BaseRecipe, baseRecipeSchema } from "@palimpsest/small-world/base";
import { parseConfig } from "./config-error.js";
import { parseYaml, readYamlFile } from "./yaml-text.js";

/** @throws {PalimpsestError} CONFIG_INVALID naming the field, the value and the fix */
export function parseBaseRecipe(text: string, name = "base recipe"): BaseRecipe {
  return parseConfig(baseRecipeSchema, parseYaml(text, name), name);
}

/** @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID */
export function readBaseRecipe(path: string): BaseRecipe {
  return parseBaseRecipe(readYamlFile(path, "base recipe"), path);
}
