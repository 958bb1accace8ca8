// The folder of a package as its tarball has it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../setup/paths.mjs";
import {
  bundledManifest,
  extraFolders,
  installedFolder,
  ownClosure,
  publishedManifest,
  readManifest,
  tfjsNode,
  workspace,
} from "./manifest.mjs";

/** Modules that setup writes, and pages: they have no source file of their own. */
const withoutSource = /^(bundled|bundled-protocol)\.js$|^page\//;
const isMap = (path) => path.endsWith(".map");

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** A compiled file whose source is gone stays in `dist` of a checkout and goes into no tarball. */
function isCompiled(path, sources) {
  if (withoutSource.test(path)) return true;
  const stem = path.replace(/(\.d\.c?ts|\.c?js)$/, "");
  return (
    stem !== path && ["ts", "tsx", "cts"].some((ending) => existsSync(join(sources, `${stem}.${ending}`)))
  );
}

function copyDist({ folder }, target) {
  const dist = join(folder, "dist");
  if (!existsSync(dist)) throw new Error(`${dist} is missing: run \`npm run setup\` first`);
  for (const path of filesIn(dist)) {
    if (isMap(path) || path.startsWith("bundled/") || !isCompiled(path, join(folder, "src"))) continue;
    const to = join(target, "dist", path);
    mkdirSync(dirname(to), { recursive: true });
    // Maps lead to sources, which stay in the checkout.
    if (/\.c?(js|ts)$/.test(path))
      writeFileSync(
        to,
        readFileSync(join(dist, path), "utf8").replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n"),
      );
    else cpSync(join(dist, path), to);
  }
  if (existsSync(join(folder, "generated")))
    cpSync(join(folder, "generated"), join(target, "generated"), { recursive: true });
}

const writeManifest = (folder, manifest) =>
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);

/** What setup consists of; the rest of the folder is for checkouts. */
function copySetup(name, target) {
  const scripts = join(root, "scripts");
  cpSync(join(scripts, "setup"), join(target, "scripts/setup"), { recursive: true });
  const entries = name === "cli" ? ["setup.mjs", "first-use.mjs"] : ["tensorflow.mjs"];
  for (const entry of entries) cpSync(join(scripts, entry), join(target, "scripts", entry));
}

/** tfjs-node-gpu without its installer and without what that left: setup builds its addon. */
function copyTfjsNode(jitFolder, target) {
  const from = installedFolder(tfjsNode, jitFolder);
  const to = join(target, "node_modules", tfjsNode);
  for (const part of ["dist", "binding"])
    cpSync(join(from, part), join(to, part), { recursive: true, dereference: true });
  for (const path of filesIn(join(to, "dist")))
    if (isMap(path) || /_test\.|run_tests/.test(path)) rmSync(join(to, "dist", path));
  const { name, version, main, types, license, repository, binary } = readManifest(from);
  writeManifest(to, { name, version, main, types, license, repository, binary });
  cpSync(join(root, "LICENSE"), join(to, "LICENSE"));
}

/** Packages that are made for programs of users; the others are parts of them. */
const forUsers = ["agents", "cli", "client", "engines", "evals", "jit", "memory", "worker"];

function readme(name, { folder }) {
  const own = readFileSync(join(folder, "README.md"), "utf8");
  if (forUsers.includes(name)) return own;
  return `${own}\nA part that other packages of Palimpsest are made of, whose interface changes with theirs: depend on client, agents, engines, memory, evals or jit.\n`;
}

/**
 * Writes what goes into the tarball of a package, with all of the project's packages that it brings in it.
 * @param isBundled whether it is inside of the command's tarball
 */
export function stagePackage(name, target, isBundled = false) {
  const one = workspace.get(name);
  mkdirSync(target, { recursive: true });
  copyDist(one, target);
  const manifest = publishedManifest(name);
  writeManifest(target, isBundled ? bundledManifest(manifest) : manifest);
  writeFileSync(join(target, "README.md"), readme(name, one));
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
  for (const folder of extraFolders[name] ?? [])
    if (existsSync(join(root, folder)) && folder !== "scripts")
      cpSync(join(root, folder), join(target, folder), { recursive: true });
  if (name === "jit") copyTfjsNode(one.folder, target);
  if (name === "jit" || name === "cli") copySetup(name, target);
  if (name !== "cli") return;
  for (const folder of ["bin", "cmaps"])
    cpSync(join(one.folder, folder), join(target, folder), { recursive: true });
  for (const other of ownClosure("cli"))
    if (other !== "cli") stagePackage(other, join(target, "node_modules/@palimpsest", other), true);
}
