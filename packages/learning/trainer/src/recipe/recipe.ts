import { dirname, resolve } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import { Document, parseDocument } from "yaml";
import { parseConfig } from "./config-error.js";
import { withEngineDefaults } from "./engine-recipe.js";
import { settlePromptFiles } from "./prompt-files.js";
import { recipeProblems } from "./recipe-checks.js";
import { misplacedSettings, settlePaths } from "./recipe-paths.js";
import { type Recipe, recipeSchema } from "./recipe-schema.js";
import { parseYaml, readYamlFile } from "./yaml-text.js";

/**
 * Parses and validates a recipe from YAML text, and makes its paths absolute.
 * @param baseDir folder against which relative paths are resolved
 * @throws {PalimpsestError} CONFIG_INVALID naming the field, the value and the fix
 */
export function parseRecipe(text: string, baseDir: string, name = "recipe"): Recipe {
  // The document is created again from its values, because nothing can be set inside an alias.
  const document = new Document(parseYaml(text, name), { aliasDuplicateObjects: false });
  const given = withRecipeName(name, () => {
    settlePromptFiles(document, baseDir);
    settlePaths(document, baseDir);
    return document.toJS() as unknown;
  });
  const misplaced = misplacedSettings(given);
  if (misplaced.length > 0) throw new PalimpsestError("CONFIG_INVALID", `${name}: ${misplaced.join(" | ")}`);
  const recipe = withEngineDefaults(parseConfig(recipeSchema, given, name));
  const problems = recipeProblems(recipe, given);
  if (problems.length > 0)
    throw new PalimpsestError("CONFIG_INVALID", `${name}: ${problems.join("\n  and ")}`);
  return recipe;
}

/** Puts the recipe's name before an error that begins with one of its fields. */
function withRecipeName<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (reason) {
    throw namingRecipe(name, reason);
  }
}

/** Returns the error with the recipe's name, if it begins with a field of a recipe; any other as it is. */
export function namingRecipe(name: string, reason: unknown): unknown {
  if (!(reason instanceof PalimpsestError)) return reason;
  const [, field = ""] = /^(\w+)[.[:]/.exec(reason.rawMessage) ?? [];
  if (!Object.hasOwn(recipeSchema.shape, field)) return reason;
  return new PalimpsestError(reason.code, `${name}: ${reason.rawMessage}`, { cause: reason });
}

/** @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID */
export function readRecipe(path: string): { readonly recipe: Recipe; readonly text: string } {
  const text = readYamlFile(path, "recipe");
  return { recipe: parseRecipe(text, dirname(resolve(path)), path), text };
}

/**
 * Returns the recipe's text with absolute paths, so that it can be moved to another folder.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function portableRecipe(text: string, baseDir: string, name: string): string {
  parseRecipe(text, baseDir, name);
  const document = parseDocument(text);
  settlePromptFiles(document, baseDir);
  settlePaths(document, baseDir, { keepBuiltin: true });
  return document.toString();
}
