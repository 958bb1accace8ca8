/**
 * Packs the files that define an installation of npm packages: package.json, its lockfile, and the packages that they
 * name by "file:".
 *
 * The nodes install the versions in the lockfile, so the same bytes give the same packages everywhere. `.npmrc` is
 * not sent, because it may contain tokens: each node uses the one of its own user.
 */

import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, posix, resolve, sep } from "node:path";
import { parseInput, parseJson, reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import type { Bundle } from "./bundle.js";
import { type Found, fileAt, filesIn, packFiles } from "./working-dir.js";

const lockfiles = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml"] as const;

const ranges = z.record(z.string(), z.string()).default({});
const manifestSchema = z.looseObject({
  dependencies: ranges,
  optionalDependencies: ranges,
  devDependencies: ranges,
});
/** Lockfile versions of npm since version 7. */
const lockSchema = z.looseObject({
  packages: z
    .record(z.string(), z.looseObject({ resolved: z.unknown().optional(), link: z.boolean().default(false) }))
    .default({}),
});

export interface PackedPackages {
  readonly bundle: Bundle;
  /** Names of packages that modules may import, which are left out of bundles. */
  readonly names: readonly string[];
}

/**
 * @param manifest path of a package.json, with one lockfile next to it
 * @throws {PalimpsestError} INVALID_ARGUMENT, LIMIT_EXCEEDED
 */
export async function packPackages(manifest: string): Promise<PackedPackages> {
  const path = resolve(manifest);
  if (basename(path) !== "package.json")
    throw refused(`packages is ${manifest}: give the path of a package.json, with its lockfile next to it`);
  const root = dirname(path);
  const { dependencies, optionalDependencies, devDependencies } = await readJson(path, manifestSchema);
  const lockfile = await lockfileIn(root);
  const locals = [dependencies, optionalDependencies, devDependencies].flatMap((record) =>
    Object.entries(record).flatMap(([name, range]) => localPath(path, name, range)),
  );
  if (lockfile !== "pnpm-lock.yaml") locals.push(...(await lockedLocals(join(root, lockfile))));
  const found = new Map<string, Found>();
  for (const file of ["package.json", lockfile]) found.set(file, await fileAt(root, file));
  for (const local of new Set(locals))
    for (const file of await localFiles(root, local)) found.set(file.path, file);
  const advice = "publish large ones to a registry";
  return {
    bundle: await packFiles(root, [...found.values()], `${path} with its local packages`, advice),
    names: Object.keys({ ...dependencies, ...optionalDependencies }).sort(),
  };
}

async function lockfileIn(root: string): Promise<(typeof lockfiles)[number]> {
  const exist = await Promise.all(lockfiles.map((name) => isThere(join(root, name))));
  const [first, second] = lockfiles.filter((_, index) => exist[index]);
  if (first === undefined)
    throw refused(
      `${root} has no lockfile: create one with \`npm install --package-lock-only\` or \`pnpm install --lockfile-only\``,
    );
  if (second !== undefined)
    throw refused(`${root} has ${first} and ${second}: remove the one that is not used`);
  return first;
}

/** Returns the path that a dependency names, relative to package.json. */
function localPath(manifest: string, name: string, range: string): string[] {
  if (/^(link|workspace):/.test(range))
    throw refused(
      `${manifest} depends on ${name} as ${JSON.stringify(range)}, which is not uploaded: use "file:" or a version`,
    );
  return range.startsWith("file:") ? [range.slice("file:".length)] : [];
}

/** Returns the local packages of a lockfile, which include those that other local packages name by "file:". */
async function lockedLocals(lockfile: string): Promise<string[]> {
  const { packages } = await readJson(lockfile, lockSchema);
  return Object.values(packages).flatMap(({ resolved, link }) => {
    if (typeof resolved !== "string") return [];
    if (link) return [resolved];
    return resolved.startsWith("file:") ? [resolved.slice("file:".length)] : [];
  });
}

async function localFiles(root: string, local: string): Promise<readonly Found[]> {
  const path = posix.normalize(local.replaceAll(sep, "/")).replace(/\/$/, "");
  if (path.startsWith("/") || path === ".." || path.startsWith("../") || path === ".")
    throw refused(
      `package "file:${local}" of ${join(root, "package.json")} is outside of its folder: move it into the folder`,
    );
  const entry = await stat(join(root, path)).catch(() => undefined);
  if (entry?.isFile()) return [await fileAt(root, path)];
  // `.gitignore` files are ignored here, because they often name built files that the package exports.
  if (entry?.isDirectory()) return await filesIn(root, `${path}/`, undefined);
  throw refused(
    `package "file:${local}" of ${join(root, "package.json")} does not exist: ${join(root, path)}; correct the path`,
  );
}

async function readJson<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
  let value: unknown;
  try {
    value = parseJson(await readFile(path, "utf8"));
  } catch (cause) {
    throw refused(`${path} cannot be read as JSON: ${reasonText(cause)}; correct the file`);
  }
  return parseInput(schema, value, (problem) => refused(`${path}: ${problem}`));
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );
}

function refused(message: string): PalimpsestError {
  return new PalimpsestError("INVALID_ARGUMENT", message);
}
