import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import { type Document, isMap, parseDocument } from "yaml";
import { withEngineDefaults } from "../engines/engine-recipe.js";
import { absoluteSource, portableSource } from "../model-source.js";
import { modulePaths } from "../modules/module-fields.js";
import { parseConfig } from "./config-error.js";
import { settlePromptFiles } from "./prompt-files.js";
import { recipeProblems } from "./recipe-checks.js";
import { type Recipe, recipeSchema } from "./recipe-schema.js";

/**
 * Parses and validates a recipe from YAML text, and makes its paths absolute.
 * @param baseDir folder against which relative paths are resolved
 * @throws {PalimpsestError} CONFIG_INVALID naming the field, the value and the fix
 */
export function parseRecipe(text: string, baseDir: string, name = "recipe"): Recipe {
  const document = parseDocument(text);
  const problem = document.errors[0];
  if (problem)
    throw new PalimpsestError("CONFIG_INVALID", `${name}: ${problem.message.split("\n")[0]}; fix the YAML`);
  settleModelFolders(document, baseDir);
  settlePromptFiles(document, baseDir);
  const given = document.toJS() as unknown;
  const recipe = withEngineDefaults(parseConfig(recipeSchema, given, name));
  const problems = recipeProblems(recipe, given);
  if (problems.length > 0)
    throw new PalimpsestError("CONFIG_INVALID", `${name}: ${problems.join("\n  and ")}`);
  const { passRates } = recipe.curriculum;
  return {
    ...recipe,
    model: absoluteSource(recipe.model, baseDir),
    ...(recipe.start === undefined
      ? {}
      : { start: { ...recipe.start, demonstrations: resolve(baseDir, recipe.start.demonstrations) } }),
    data: absoluteData(recipe.data, baseDir),
    curriculum: {
      ...recipe.curriculum,
      ...(passRates === undefined
        ? {}
        : { passRates: { ...passRates, path: resolve(baseDir, passRates.path) } }),
      mix: recipe.curriculum.mix.map((part) => ({ ...part, data: absoluteData(part.data, baseDir) })),
    },
    ...(recipe.evaluation?.files === undefined
      ? {}
      : { evaluation: { ...recipe.evaluation, files: absoluteFiles(recipe.evaluation.files, baseDir) } }),
  };
}

/** Settings of agents and rewards that can name a model's folder. */
const modelFolders = [
  { section: ["agent", "settings", "embedder"], field: "model", kind: "model" },
  { section: ["reward", "settings", "embedder"], field: "model", kind: "model" },
  { section: ["reward", "settings", "found", "embedder"], field: "model", kind: "model" },
  { section: ["reward", "settings", "score", "reader"], field: "path" },
];

function settleModelFolders(document: Document, baseDir: string): void {
  for (const { section, field, kind } of modelFolders) {
    if (!isMap(document.getIn(section)) || document.getIn([...section, "kind"]) !== kind) continue;
    const path = document.getIn([...section, field]);
    if (typeof path === "string" && path !== "") document.setIn([...section, field], resolve(baseDir, path));
  }
  for (const path of Object.values(modulePaths)) {
    if (!isMap(document.getIn(path.slice(0, -1)))) continue;
    const module = document.getIn(path);
    if (typeof module === "string" && module !== "" && !module.startsWith("data:"))
      document.setIn(path, resolve(baseDir, module));
  }
}

function absoluteData(data: Recipe["data"], baseDir: string): Recipe["data"] {
  return "path" in data ? { ...data, path: resolve(baseDir, data.path) } : data;
}

function absoluteFiles<File extends { readonly path: string }>(
  files: readonly File[],
  baseDir: string,
): File[] {
  return files.map((file) => ({ ...file, path: resolve(baseDir, file.path) }));
}

/** @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID */
export function readRecipe(path: string): { readonly recipe: Recipe; readonly text: string } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new PalimpsestError(
      "NOT_FOUND",
      `recipe ${path} cannot be read; give the path of a YAML file, such as recipes/quickstart.yaml`,
    );
  }
  return { recipe: parseRecipe(text, dirname(resolve(path)), path), text };
}

/**
 * Returns the recipe's text with absolute paths, so that it can be moved to another folder.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function portableRecipe(text: string, baseDir: string, name: string): string {
  const recipe = parseRecipe(text, baseDir, name);
  const document = parseDocument(text);
  settleModelFolders(document, baseDir);
  settlePromptFiles(document, baseDir);
  const source = parseConfig(recipeSchema, document.toJS() as unknown, name).model;
  for (const [field, value] of Object.entries(portableSource(source, baseDir)))
    document.setIn(["model", field], value);
  if ("path" in recipe.data) document.setIn(["data", "path"], recipe.data.path);
  const { passRates } = recipe.curriculum;
  if (passRates) document.setIn(["curriculum", "passRates", "path"], passRates.path);
  for (const [place, { data }] of recipe.curriculum.mix.entries())
    if ("path" in data) document.setIn(["curriculum", "mix", place, "data", "path"], data.path);
  if (recipe.start) document.setIn(["start", "demonstrations"], recipe.start.demonstrations);
  for (const [place, { path }] of (recipe.evaluation?.files ?? []).entries())
    document.setIn(["evaluation", "files", place, "path"], path);
  return document.toString();
}
