/**
 * The paths in a recipe. A schema marks a setting that is a path with `.meta({ format: "path" })`, and adds `builtin`
 * if `builtin:NAME` names a folder of this package. Settings of agents and rewards are looked up in their own schemas.
 */

import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { agentKinds } from "@palimpsest/agents";
import { rewardConfigSchema } from "@palimpsest/rewards";
import { closestWord, layersOf } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { Document } from "yaml";
import { z } from "zod";
import { builtinRecipesDir } from "./model-source.js";
import { recipeSchema } from "./recipe-schema.js";

const builtinPrefix = "builtin:";

interface PathSetting {
  readonly at: readonly (string | number)[];
  readonly path: string;
  /** The folder, within that of the included recipes, in which names after `builtin:` are looked up. */
  readonly builtin: unknown;
}

/**
 * Makes the paths of a recipe absolute.
 * @param baseDir folder against which relative paths are resolved
 * @param keepBuiltin whether `builtin:NAME` stays, because it means the same on every machine
 */
export function settlePaths(document: Document, baseDir: string, { keepBuiltin = false } = {}): void {
  const recipe: unknown = document.toJS();
  for (const { at, path, builtin } of pathSettings(recipe)) {
    if (typeof builtin !== "string" || !path.startsWith(builtinPrefix)) {
      document.setIn(at, resolve(baseDir, path));
      continue;
    }
    checkBuiltin(at, builtin, path.slice(builtinPrefix.length));
    if (!keepBuiltin)
      document.setIn(at, resolve(builtinRecipesDir, builtin, path.slice(builtinPrefix.length)));
  }
}

/** Returns what is wrong with keys of `agent` and `reward` that belong below their `settings`. */
export function misplacedSettings(recipe: unknown): string[] {
  const keysOf = (schema: unknown) =>
    layersOf(schema).flatMap((layer) => (layer instanceof z.ZodObject ? Object.keys(layer.shape) : []));
  const sections = { agent: agentKinds.map(({ schema }) => schema), reward: [rewardConfigSchema] };
  return Object.entries(sections).flatMap(([section, schemas]) => {
    const given = fieldOf(recipe, section);
    const own = new Set(keysOf(fieldOf(recipeSchema.shape, section)));
    const settings = new Set(schemas.flatMap(keysOf));
    return Object.keys(typeof given === "object" ? (given ?? {}) : {})
      .filter((key) => !own.has(key) && settings.has(key))
      .map((key) => `${section}.${key}: is a setting; put it under ${section}.settings`);
  });
}

/** @throws {PalimpsestError} CONFIG_INVALID for a name that no included model has */
function checkBuiltin(at: PathSetting["at"], builtin: string, name: string): void {
  const folder = resolve(builtinRecipesDir, builtin);
  // A name may lead deeper, to a file.
  if (existsSync(resolve(folder, name))) return;
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const meant = closestWord(name, names);
  const fix = meant === undefined ? "" : `did you mean ${builtinPrefix}${meant}? `;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `${at.join(".")}: ${builtinPrefix}${name} is not in this installation; ${fix}It has ${names.map((one) => builtinPrefix + one).join(", ")}`,
  );
}

function pathSettings(recipe: unknown): readonly PathSetting[] {
  const inside = (schema: unknown, section: string) =>
    pathsIn(schema, fieldOf(fieldOf(recipe, section), "settings"), [section, "settings"]);
  return [
    ...pathsIn(recipeSchema, recipe, []),
    ...agentKinds.flatMap(({ schema }) => inside(schema, "agent")),
    ...inside(rewardConfigSchema, "reward"),
  ];
}

/**
 * Returns the paths in a value. An empty path is left for the schema to refuse, and a `data:` URL is a module itself.
 */
function pathsIn(schema: unknown, value: unknown, at: PathSetting["at"]): PathSetting[] {
  const layers = layersOf(schema);
  if (typeof value === "string") {
    const marks = layers.flatMap((layer) => (layer instanceof z.ZodType ? [layer.meta()] : []));
    const mark = marks.find((one) => one?.["format"] === "path");
    const isPath = mark !== undefined && value !== "" && !value.startsWith("data:");
    return isPath ? [{ at, path: value, builtin: mark["builtin"] }] : [];
  }
  return layers.flatMap((layer) => {
    if (layer instanceof z.ZodArray && Array.isArray(value))
      return value.flatMap((item, index) => pathsIn(layer.element, item, [...at, index]));
    if (!(layer instanceof z.ZodObject) || !mayDescribe(layer, value)) return [];
    return Object.entries(layer.shape).flatMap(([name, field]) =>
      pathsIn(field, fieldOf(value, name), [...at, name]),
    );
  });
}

/**
 * Returns whether the object's literals, such as an alternative's `kind`, are those of the value, as far as it has
 * them.
 */
function mayDescribe({ shape }: z.ZodObject, value: unknown): boolean {
  return Object.entries(shape).every(([name, field]) => {
    const literal = layersOf(field).find((layer) => layer instanceof z.ZodLiteral);
    const given = fieldOf(value, name);
    return literal === undefined || given === undefined || literal.safeParse(given).success;
  });
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && name in value ? Reflect.get(value, name) : undefined;
}
