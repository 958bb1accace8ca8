// The package.json of a package as it is published: without what only a checkout has.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { packageFolders, root } from "../setup/paths.mjs";
import { carriedBy, outsideOf } from "./carried.mjs";

const scope = "@palimpsest/";

/** The published name of a package: the command is called as its user types it. */
export const publishedName = (name) => (name === `${scope}cli` ? "palimpsest" : name);

export const readManifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Folder and package.json of each package of the workspace, by its name without the scope. */
export const workspace = new Map(
  [...packageFolders].map(([name, path]) => {
    const folder = join(root, path);
    return [name, { folder, manifest: readManifest(folder) }];
  }),
);

/** Names, without the scope, of the project's packages that one brings, itself included. */
export function ownClosure(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const needed of Object.keys(workspace.get(name).manifest.dependencies ?? {}))
    if (needed.startsWith(scope)) ownClosure(needed.slice(scope.length), seen);
  return seen;
}

/** The folder of a package as the checkout has it, seen from the folder of one that needs it. */
export function installedFolder(name, from) {
  for (const path of createRequire(join(from, "package.json")).resolve.paths(`${name}/package.json`) ?? [])
    if (existsSync(join(path, name, "package.json"))) return realpathSync(join(path, name));
  return undefined;
}

/** Dependencies on others' packages: in the place of those that its tarball carries, what they need beside them. */
export function foreignDependencies(name) {
  const { folder, manifest } = workspace.get(name);
  const inside = carriedBy(name);
  const named = Object.entries(manifest.dependencies ?? {}).filter(([other]) => !other.startsWith(scope));
  const needed = Object.fromEntries(named.filter(([other]) => !inside.includes(other)));
  for (const other of outsideOf(name))
    needed[other] ??= readManifest(carriedFolder(other, folder, inside)).version;
  return Object.entries(needed);
}

/** Where the checkout has what only a carried package names. */
function carriedFolder(name, from, inside) {
  const users = [from, ...inside.map((one) => installedFolder(one, from))];
  return users.map((user) => installedFolder(name, user)).find(Boolean);
}

/** Versions of the packages that the tarball of one carries. */
const carriedVersions = (name) =>
  carriedBy(name).map((other) => [other, workspace.get(name).manifest.dependencies[other]]);

const sorted = (entries) => Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Conditions that lead to sources are for the checkout alone. */
function published(exported) {
  if (typeof exported !== "object" || exported === null) return exported;
  return Object.fromEntries(
    Object.entries(exported)
      .filter(([condition]) => condition !== "@palimpsest/source")
      .map(([condition, target]) => [condition, published(target)]),
  );
}

/**
 * The package.json of a package inside of another one's tarball. It names only dependencies that are inside of it; the
 * others are those of the package around it. npm would count them as bundled with it, and would not install those that
 * are not.
 */
export function bundledManifest(manifest) {
  const {
    dependencies = {},
    peerDependencies: _,
    peerDependenciesMeta: __,
    optionalDependencies: ___,
    bundleDependencies = [],
    ...rest
  } = manifest;
  if (bundleDependencies.length === 0) return rest;
  const inside = bundleDependencies.map((name) => [name, dependencies[name]]);
  return { ...rest, dependencies: Object.fromEntries(inside), bundleDependencies };
}

/** What packages use if it can be installed. */
export const optionals = (names) =>
  sorted(names.flatMap((one) => Object.entries(workspace.get(one).manifest.optionalDependencies ?? {})));

/** What a user installs beside a package: the project's own packages, and others' that only some need. */
export function peers(names, ownVersions = []) {
  const optional = Object.assign(
    {},
    ...names.map((one) => workspace.get(one).manifest.peerDependencies ?? {}),
  );
  const all = sorted([...ownVersions, ...Object.entries(optional)]);
  if (Object.keys(all).length === 0) return {};
  const meta = Object.fromEntries(Object.keys(optional).map((other) => [other, { optional: true }]));
  return {
    peerDependencies: all,
    ...(Object.keys(optional).length > 0 ? { peerDependenciesMeta: meta } : {}),
  };
}

/** Where a workflow has the code from: npm refuses a signed provenance that names another place. */
export function repositoryOf(name) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  if (!server || !repository) return {};
  const url = `git+${server}/${repository}.git`;
  return { repository: { type: "git", url, directory: packageFolders.get(name) } };
}

/** The package.json that goes into the tarball. */
export function publishedManifest(name) {
  const { manifest } = workspace.get(name);
  const { private: _, devDependencies: __, peerDependencies: ___, dependencies = {}, ...kept } = manifest;
  const { peerDependenciesMeta: ____, exports: exported, files, ...rest } = kept;
  const repository = readManifest(root);
  const isCli = name === "cli";
  const own = isCli ? [...ownClosure("cli")].filter((other) => other !== "cli") : [];
  const ownVersions = (isCli ? own.map((other) => scope + other) : Object.keys(dependencies))
    .filter((other) => other.startsWith(scope))
    .map((other) => [other, workspace.get(other.slice(scope.length)).manifest.version]);
  // The command brings all of the project's packages inside of its tarball: one file is enough to run it.
  const foreign = (isCli ? ["cli", ...own] : [name]).flatMap(foreignDependencies);
  const bundled = [...own.map((other) => scope + other), ...carriedBy(name)];
  return {
    ...rest,
    name: publishedName(manifest.name),
    engines: repository.engines,
    ...repositoryOf(name),
    ...(exported ? { exports: { ...published(exported), "./package.json": "./package.json" } } : {}),
    files: [...files, ...(extraFolders[name] ?? [])],
    dependencies: sorted([...(isCli ? ownVersions : []), ...foreign, ...carriedVersions(name)]),
    optionalDependencies: optionals(isCli ? ["cli", ...own] : [name]),
    // A project has one copy of each of the project's packages. pnpm takes peers from the tarballs that are installed beside
    // a package, and dependencies from a registry alone.
    ...peers(isCli ? ["cli", ...own] : [name], isCli ? [] : ownVersions),
    ...(name === "jit" ? { bin: { "palimpsest-tensorflow": "./scripts/tensorflow.mjs" } } : {}),
    ...(bundled.length > 0 ? { bundleDependencies: bundled } : {}),
  };
}

/** Folders that a package brings beside its code: of the checkout's root, and what the command and setup start with. */
export const extraFolders = {
  cli: ["bin", "cmaps", "deploy", "docs", "scripts", "skills"],
  wire: ["protos"],
  trainer: ["recipes"],
  jit: ["scripts"],
};
