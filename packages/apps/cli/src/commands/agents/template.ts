import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { reasonText, systemFailure } from "@palimpsest/std/input";
import { builtinRecipesDir } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";
import { documentPath } from "../../installation/document-path.js";
import { dependenciesOf } from "../../installation/own-tarballs.js";

const namePattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** npm takes none of these for a package of one's own: they are its folder, Node.js's modules, or what the package installs. */
const takenNames = ["node_modules", ...builtinModules, "palimpsest", "tsx", "typescript"];
const schemaFile = "docs/recipe.schema.json";
const packageInProject = "node_modules/palimpsest";

/** What `palimpsest new` makes. */
export type TemplateKind = "agent" | "reward" | "project";

/**
 * Writes a template into a folder, which must not exist or be empty.
 * @returns the folder's path
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
export function writeTemplate(kind: TemplateKind, name: string, folder: string): string {
  checkName(kind, name);
  const target = resolve(folder);
  checkFree(target);
  try {
    if (kind === "project") writeProject(target);
    else writeAgent(kind, target);
    giveName(target, name);
  } catch (cause) {
    if (systemFailure(cause) === undefined) throw cause;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${target}: cannot be written, since ${reasonText(cause)}; name another folder with --folder`,
      { cause },
    );
  }
  return target;
}

function checkName(kind: TemplateKind, name: string): void {
  if (!namePattern.test(name))
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `name is ${JSON.stringify(name)}; use at most 63 lower-case letters, digits and dashes, and --folder for another place`,
    );
  if (kind === "project" && takenNames.includes(name))
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `name is ${JSON.stringify(name)}, which npm has another package for; use another one, such as my-${name}`,
    );
}

function checkFree(target: string): void {
  if (!existsSync(target)) return;
  const entries = readFolder(target);
  if (entries?.length === 0) return;
  const how = entries === undefined ? "is not a folder" : `already exists and has ${entries[0]}`;
  throw new PalimpsestError("INVALID_ARGUMENT", `${target} ${how}; name another folder with --folder`);
}

function readFolder(path: string): string[] | undefined {
  try {
    return readdirSync(path);
  } catch {
    return undefined;
  }
}

function copy(kind: "agent" | "project", target: string, filter = (_path: string) => true): void {
  cpSync(join(builtinRecipesDir, "templates", kind), target, { recursive: true, filter });
}

function writeAgent(kind: TemplateKind, target: string, installed = installedFor(target)): void {
  const isReward = kind === "reward";
  copy("agent", target, (path) => !(isReward && basename(path) === "agent.ts"));
  const recipe = join(target, "recipe.yaml");
  const schema = encodeURI(join(installed, schemaFile));
  const text = readFileSync(recipe, "utf8").replace(/\$schema=\S+/, () => `$schema=${schema}`);
  const notes = join(target, "AGENTS.md");
  writeFileSync(
    notes,
    readFileSync(notes, "utf8").replace(packageInProject, () => installed),
  );
  // A reward is tried with an agent that comes along.
  writeFileSync(recipe, isReward ? text.replace(/^agent: .*$/m, "agent: { preset: tiny }") : text);
}

/** Returns the folder with the documents of the project around a folder, or else of this installation, as a path from there. */
function installedFor(target: string): string {
  for (let folder = target; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, packageInProject);
    if (existsSync(join(path, schemaFile))) return relative(target, path);
  }
  return relative(target, resolve(documentPath("..")));
}

function writeProject(target: string): void {
  copy("project", target);
  // npm leaves files of this name out of a tarball.
  renameSync(join(target, "gitignore"), join(target, ".gitignore"));
  writeAgent("project", join(target, "agent"), join("..", packageInProject));
  const path = join(target, "package.json");
  const dependencies = JSON.stringify(dependenciesOf(target), null, 4).replace(/\}$/, "  }");
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace('"dependencies": {}', () => `"dependencies": ${dependencies}`),
  );
}

function giveName(target: string, name: string): void {
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("my-agent", name));
  }
}
