import { readFileSync } from "node:fs";
import { type BaseRecipe, baseRecipeSchema } from "@palimpsest/small-world/base";
import { PalimpsestError } from "@palimpsest/wire";
import { parseDocument } from "yaml";
import { parseConfig } from "./config-error.js";

/** @throws {PalimpsestError} CONFIG_INVALID naming the field, the value and the fix */
export function parseBaseRecipe(text: string, name = "base recipe"): BaseRecipe {
  const document = parseDocument(text);
  const problem = document.errors[0];
  if (problem)
    throw new PalimpsestError("CONFIG_INVALID", `${name}: ${problem.message.split("\n")[0]}; fix the YAML`);
  return parseConfig(baseRecipeSchema, document.toJS(), name);
}

/** @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID */
export function readBaseRecipe(path: string): BaseRecipe {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new PalimpsestError(
      "NOT_FOUND",
      `base recipe "${path}" cannot be read; give the path of a YAML file, such as base-recipe.yaml`,
    );
  }
  return parseBaseRecipe(text, path);
}
