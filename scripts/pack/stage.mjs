// The folder of a package as its tarball has it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { standInsOf } from "../setup/bundle/bundle.mjs";
import { root } from "../setup/paths.mjs";
import { carriedBy, stageCarried } from "./carried.mjs";
import {
  bundledManifest,
  extraFolders,
  installedFolder,
  ownClosure,
  publishedManifest,
  readManifest,
  workspace,
} from "./manifest.mjs";

const isMap = (path) => path.endsWith(".map");

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** A compiled file whose source is gone stays in `dist` of a checkout and goes into no tarball. */
function isCompiled(path, sources) {
  const stem = path.replace(/(\.d\.c?ts|\.c?js)$/, "");
  return (
    stem !== path && ["ts", "tsx", "cts"].some((ending) => existsSync(join(sources, `${stem}.${ending}`)))
  );
}

async function copyDist(name, { folder }, target) {
  const dist = join(folder, "dist");
  for (const path of filesIn(dist)) {
    if (isMap(path) || !isCompiled(path, join(folder, "src"))) continue;
    const to = join(target, "dist", path);
    mkdirSync(dirname(to), { recursive: true });
    // Maps lead to sources, which stay in the checkout.
    writeFileSync(
      to,
      readFileSync(join(dist, path), "utf8").replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n"),
    );
  }
  // What setup and the pages' own build write into a checkout is made anew: there it may be older than its sources.
  for (const [file, text] of await standInsOf(name)) writeFileSync(join(target, file), text);
  if (name === "dashboard") {
    const { buildPages } = await import(pathToFileURL(join(folder, "build.mjs")).href);
    await buildPages(join(target, "dist/page"));
  }
  // What stands beside the folders, such as what the generated code imports.
  for (const file of (readManifest(folder).files ?? []).filter((each) => each.endsWith(".js")))
    cpSync(join(folder, file), join(target, file));
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

/** In the command's tarball the recipes lie deeper below the schema that their first lines give to editors. */
function nameSchema(recipes) {
  for (const path of filesIn(recipes).filter((name) => name.endsWith(".yaml"))) {
    const text = readFileSync(join(recipes, path), "utf8");
    writeFileSync(join(recipes, path), text.replace(/^(# .*\$schema=)/, "$1../../../"));
  }
}

/** Packages that are made for programs of users; the others are parts of them. */
const forUsers = ["agents", "cli", "client", "engines", "evals", "jit", "memory", "worker"];

/** Paragraphs for those who have a checkout: they name sources, tests and documents that are only there. */
const ofCheckout = /^(\*\*To change it|Begin reading|Start reading|Its tests|Run its tests)/;

function readme(name, { folder }) {
  const paragraphs = readFileSync(join(folder, "README.md"), "utf8").split("\n\n");
  const own = paragraphs.filter((paragraph) => !ofCheckout.test(paragraph)).join("\n\n");
  if (forUsers.includes(name)) return own;
  return `${own}\nA part that other packages of Palimpsest are made of, whose interface changes with theirs: depend on client, agents, engines, memory, evals or jit.\n`;
}

/**
 * Writes what goes into the tarball of a package, with all of the project's packages that it brings in it.
 * @param isBundled whether it is inside of the command's tarball
 */
export async function stagePackage(name, target, isBundled = false) {
  const one = workspace.get(name);
  mkdirSync(target, { recursive: true });
  await copyDist(name, one, target);
  const manifest = publishedManifest(name);
  writeManifest(target, isBundled ? bundledManifest(manifest) : manifest);
  writeFileSync(join(target, "README.md"), readme(name, one));
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
  for (const folder of extraFolders[name] ?? [])
    if (existsSync(join(root, folder)) && folder !== "scripts")
      cpSync(join(root, folder), join(target, folder), { recursive: true });
  if (name === "trainer" && isBundled) nameSchema(join(target, "recipes"));
  for (const dependency of carriedBy(name))
    await stageCarried(name, dependency, installedFolder(dependency, one.folder), target);
  if (name === "jit" || name === "cli") copySetup(name, target);
  if (name !== "cli") return;
  for (const folder of ["bin", "cmaps"])
    cpSync(join(one.folder, folder), join(target, folder), { recursive: true });
  for (const other of ownClosure("cli"))
    if (other !== "cli") await stagePackage(other, join(target, "node_modules/@palimpsest", other), true);
}
