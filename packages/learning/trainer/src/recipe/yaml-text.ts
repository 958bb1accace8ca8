import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { checkKind, closestWord, reasonText, yamlProblem } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { parse } from "yaml";
import { builtinRecipesDir } from "./model-source.js";

/**
 * Returns what a YAML text says.
 * @param name what the text is called in errors, such as its file
 * @param merge whether `<<` merges mappings
 * @throws {PalimpsestError} CONFIG_INVALID with line, column and fix
 */
export function parseYaml(text: string, name: string, { merge = false } = {}): unknown {
  try {
    // Warnings, such as those of unknown tags, would go to standard error. An alias of what it is in makes a circle.
    const value: unknown = parse(text, { merge, logLevel: "error" });
    JSON.stringify(value);
    return value;
  } catch (cause) {
    const problem = yamlProblem(cause) ?? reasonText(cause);
    throw new PalimpsestError("CONFIG_INVALID", `${name}: is not YAML: ${problem}`, { cause });
  }
}

/**
 * Reads a file of YAML.
 * @param what what the file is called in errors, such as `recipe`
 * @throws {PalimpsestError} NOT_FOUND with the reason and the file that was probably meant; CONFIG_INVALID for an empty file
 */
export function readYamlFile(path: string, what: string): string {
  checkKind(
    path,
    `path of the ${what}`,
    "a path",
    (problem) => new PalimpsestError("CONFIG_INVALID", problem),
  );
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    const near = existsSync(path) ? undefined : similarFile(path);
    const fix = near === undefined ? "give the path of a YAML file" : `did you mean ${JSON.stringify(near)}?`;
    throw new PalimpsestError(
      "NOT_FOUND",
      `${what} "${path}" cannot be read (${reasonText(cause)}); ${fix}`,
      {
        cause,
      },
    );
  }
  if (text.split(/\r?\n/).every(saysNothing))
    throw new PalimpsestError("CONFIG_INVALID", `${path}: is empty; write the fields of the ${what} into it`);
  return text;
}

/** Whether a line is blank, a comment, or begins or ends a document. */
const saysNothing = (line: string) => /^\s*(#.*)?$|^(---|\.\.\.)\s*(#.*)?$/.test(line);

/** Returns the YAML file that was probably meant: one beside the path, inside the folder that it is, or a shipped one. */
function similarFile(path: string): string | undefined {
  const name = basename(path).replace(/\.ya?ml$/i, "");
  for (const folder of [dirname(resolve(path)), builtinRecipesDir]) {
    const files = yamlFiles(folder);
    const meant = closestWord(name, files.keys());
    if (meant !== undefined) return files.get(meant);
  }
  return undefined;
}

/** Returns the YAML files of a folder, the shipped recipes with those in folders below, by their names. */
function yamlFiles(folder: string): ReadonlyMap<string, string> {
  try {
    const found = readdirSync(folder, { recursive: folder === builtinRecipesDir, encoding: "utf8" });
    return new Map(
      found.flatMap((file) => {
        const [, name] = /([^/\\]+)\.ya?ml$/i.exec(file) ?? [];
        return name === undefined ? [] : [[name, join(folder, file)]];
      }),
    );
  } catch {
    return new Map();
  }
}
