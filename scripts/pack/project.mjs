// A project with the packages as their users have them: from the tarballs and from nothing of this checkout.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../setup/command.mjs";
import { root } from "../setup/paths.mjs";
import { carried } from "./carried.mjs";
import { installedFolder, readManifest, workspace } from "./manifest.mjs";

/** Makes the folder of a project that has nothing yet. */
export function makeEmptyProject(project) {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true, "type": "module" }\n');
}

/**
 * Installs all tarballs by one command, install scripts included.
 * @param {{ flags?: readonly string[], timeout?: number }} options more flags of npm, and how many milliseconds it may take
 * @throws where npm does, as without a network and a cache that has every third-party package
 */
export async function installTarballs(project, files, { flags = [], timeout } = {}) {
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...flags, ...files];
  await run("npm", args, { cwd: project, timeout });
}

/** Where the checkout has the packages that a published one needs: some are seen only from one that a tarball carries. */
const places = [
  root,
  ...[...workspace.values()].map(({ folder }) => folder),
  ...Object.entries(carried).flatMap(([name, inside]) =>
    Object.keys(inside).map((dependency) => installedFolder(dependency, workspace.get(name).folder)),
  ),
];

/**
 * The folder in which the checkout has a third-party package.
 * @public Tests import this module by its URL.
 */
export function inCheckout(name) {
  for (const place of places) {
    const folder = installedFolder(name, place);
    if (folder !== undefined) return folder;
  }
  return undefined;
}

/** Links a third-party package of the checkout, with its programs, unless the project has one of that name. */
export function linkThirdParty(project, name) {
  const target = inCheckout(name);
  const path = join(project, "node_modules", name);
  if (target === undefined || existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, "dir");
  linkPrograms(project, name, target);
}

function linkPrograms(project, name, folder) {
  const { bin = {} } = readManifest(folder);
  const programs = typeof bin === "string" ? { [name.replace(/^.*\//, "")]: bin } : bin;
  const folderOfPrograms = join(project, "node_modules/.bin");
  mkdirSync(folderOfPrograms, { recursive: true });
  for (const [program, path] of Object.entries(programs))
    if (!existsSync(join(folderOfPrograms, program)))
      symlinkSync(join(project, "node_modules", name, path), join(folderOfPrograms, program));
}

/**
 * Lays the packages out as npm does, without npm and a network: from the tarballs of `pack()` in a folder, with the
 * checkout's third-party packages.
 */
export async function linkTarballs(project, folder, tarballs) {
  const modules = join(project, "node_modules");
  await Promise.all(
    tarballs.map(async ({ filename, name }) => {
      const own = join(modules, name);
      mkdirSync(own, { recursive: true });
      await run("tar", ["-xzf", join(folder, filename), "-C", own, "--strip-components=1"], { cwd: project });
    }),
  );
  for (const { name } of tarballs) {
    const own = join(modules, name);
    linkPrograms(project, name, own);
    for (const needed of Object.keys(readManifest(own).dependencies ?? {}))
      if (!existsSync(join(own, "node_modules", needed))) linkThirdParty(project, needed);
  }
}
