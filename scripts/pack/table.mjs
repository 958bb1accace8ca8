// Sizes of the tarballs and what they bring, for docs/guides/packages.md.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../setup/paths.mjs";
import { carriedBy } from "./carried.mjs";
import {
  foreignDependencies,
  installedFolder,
  ownClosure,
  publishedName,
  readManifest,
  workspace,
} from "./manifest.mjs";
import { inCheckout } from "./project.mjs";
import { runtimeName } from "./runtime.mjs";

const tableFile = join(root, "docs/guides/packages.md");
const begin = "<!-- scripts/pack/table.mjs writes this table -->\n";
const end = "<!-- end of the table -->";
/** Those that programs import, and the command. */
const offered = [
  "agents",
  "memory",
  "engines",
  "rewards",
  "evals",
  "client",
  "runtime",
  "worker",
  "jit",
  "cli",
];

/**
 * Others' packages that an installation brings on every platform, by name and version: dependencies and theirs, as the checkout has
 * them. Optional ones (esbuild's programs, native addons) depend on the machine and are not counted.
 */
function foreignClosure(needs) {
  const seen = new Set();
  const visit = (needed, from) => {
    const folder = installedFolder(needed, from);
    if (folder === undefined) throw new Error(`${needed} is not installed: run \`npm run setup\` first`);
    const { version, dependencies = {}, optionalDependencies = {} } = readManifest(folder);
    const id = `${needed}@${version}`;
    if (seen.has(id)) return;
    seen.add(id);
    for (const other of Object.keys(dependencies)) if (!(other in optionalDependencies)) visit(other, folder);
  };
  for (const [needed, from] of needs) visit(needed, from);
  return seen;
}

/** Third-party packages that one names, with the folder from which the checkout has each. */
function needsOf(name) {
  return [...ownClosure(name)].flatMap((own) =>
    foreignDependencies(own).map(([needed]) => [needed, userOf(needed, workspace.get(own).folder)]),
  );
}

/** What only a carried package names is found from there. */
const userOf = (needed, folder) =>
  installedFolder(needed, folder) === undefined ? dirname(dirname(inCheckout(needed))) : folder;

/** Of the tarball that is made of other packages' files: what its manifest names. */
function needsOfRuntime({ dependencies, bundleDependencies }) {
  const third = Object.keys(dependencies).filter((needed) => !bundleDependencies.includes(needed));
  return third.map((needed) => {
    const user = [...workspace.values()].find(({ manifest }) => needed in (manifest.dependencies ?? {}));
    return [needed, user.folder];
  });
}

const isOwn = (name) => name.startsWith("@palimpsest/");
const withoutScope = (name) => name.slice("@palimpsest/".length);

/**
 * @param tarballs what `npm pack --json` says
 * @public A test loads this file by a path that it computes.
 */
export function rowsOf(tarballs) {
  return offered.map((name) => {
    const published = publishedName(workspace.get(name)?.manifest.name ?? runtimeName);
    const { size, unpackedSize, manifest } = tarballs.find((tarball) => tarball.name === published);
    const isWorkspace = workspace.has(name);
    const own = isWorkspace
      ? [...ownClosure(name)]
      : manifest.bundleDependencies.filter(isOwn).map(withoutScope);
    const inside = [...new Set([...own, ...(isWorkspace ? [] : ["cli"])])].flatMap(carriedBy);
    return {
      name: published,
      size,
      unpackedSize,
      own: isWorkspace ? own.length - 1 : own.length,
      // What a tarball carries as one file is a package, too.
      foreign: foreignClosure(isWorkspace ? needsOf(name) : needsOfRuntime(manifest)).size + inside.length,
    };
  });
}

const kilobytes = (bytes) =>
  bytes < 995e3 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** The table of these rows. */
export function markdown(rows) {
  const lines = rows.map(
    ({ name, size, unpackedSize, own, foreign }) =>
      `| \`${name}\` | ${kilobytes(size)} | ${kilobytes(unpackedSize)} | ${own} | ${foreign} |`,
  );
  return [
    "| package | tarball | unpacked | packages of this project that it installs | third-party packages, including indirect ones |",
    "|---|---:|---:|---:|---:|",
    ...lines,
    "",
  ].join("\n");
}

export function writeTable(tarballs) {
  const text = readFileSync(tableFile, "utf8");
  const [before, after] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (before < begin.length || after < 0) throw new Error(`${tableFile} has no marker for the table`);
  writeFileSync(tableFile, text.slice(0, before) + markdown(rowsOf(tarballs)) + text.slice(after));
}
