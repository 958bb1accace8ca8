// `@palimpsest/runtime`: actors alone, in one tarball. It is made of the files of other packages that the commands of a cluster
// reach, so that it installs nothing that only learning needs, and exports what `@palimpsest/client` does.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { root } from "../setup/paths.mjs";
import { carriedBy } from "./carried.mjs";
import {
  bundledManifest,
  optionals,
  peers,
  publishedManifest,
  readManifest,
  repositoryOf,
  workspace,
} from "./manifest.mjs";

export const runtimeName = "@palimpsest/runtime";
const scope = "@palimpsest/";
/** What a program imports, and modules that processes are started with or load by their names. */
const started = [
  ...["client", "client/queue-actor", "wire", "wire/protocol", "telemetry"],
  ...["worker/main", "worker/late-certificates", "head", "node", "dashboard"],
].map((name) => scope + name);
/** What stands in place of the list of all commands. */
const commands = 'export { clusterCommands as commands } from "./cluster-commands.js";\n';
/** The command of both packages has one name: where a project has the whole one, it is that. */
const program = `#!/usr/bin/env node
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const whole = createRequire(import.meta.url)
  .resolve.paths("palimpsest")
  .map((folder) => join(folder, "palimpsest/bin/palimpsest.js"))
  .find((path) => existsSync(path));
await import(whole ? pathToFileURL(whole).href : "../dist/main.js");
`;
/** What a program imports of it. */
const index = `export * from "${scope}client";\n`;
/** Packages whose types a program needs. */
const typed = ["client", "wire", "telemetry"];
/** A recipe is a job of the whole command. */
const left = [`${scope}trainer`];
const byUrl = /new URL\(\s*"(\.{1,2}\/[^"]+\.c?js)",\s*import\.meta\.url/g;
const byRequire = /createRequire\(import\.meta\.url\)\("([^"]+)"\)/g;

/**
 * Follows the imports from the command of a cluster and from what it starts.
 * @returns {{ files: string[], packages: Set<string> }} paths in the checkout, and names of third-party packages
 */
async function reached() {
  const { build } = createRequire(join(workspace.get("client").folder, "package.json"))("esbuild");
  const cli = join(workspace.get("cli").folder, "dist");
  const require = createRequire(join(cli, "main.js"));
  const entries = new Set([
    ...["main.js", "installation/bundled-programs.js"].map((name) => join(cli, name)),
    ...started.map((name) => require.resolve(name)),
  ]);
  const packages = new Set();
  const files = new Set();
  const resolution = {
    name: "runtime",
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\/cli\/dist\/program\/commands\.js$/ }, () => ({ contents: commands }));
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === "entry-point") return undefined;
        if (path.startsWith(scope) && !left.includes(path)) return undefined;
        const [name] = /^(@[^/]+\/)?[^/]+/.exec(path);
        if (!path.startsWith("node:") && !path.startsWith(scope)) packages.add(name);
        return { path, external: true };
      });
    },
  };
  for (let before = -1; entries.size > before; ) {
    before = entries.size;
    const { metafile } = await build({
      ...{ entryPoints: [...entries], outdir: root, absWorkingDir: root, bundle: true, write: false },
      ...{ platform: "node", format: "esm", metafile: true, logLevel: "silent", plugins: [resolution] },
      // Node loads every module that is imported, whether its names are used or not.
      ignoreAnnotations: true,
    });
    for (const file of Object.keys(metafile.inputs)) {
      files.add(file);
      const text = readFileSync(join(root, file), "utf8");
      for (const [, name] of text.matchAll(byRequire)) packages.add(name);
      for (const [, path] of text.matchAll(byUrl)) {
        const found = resolve(root, dirname(file), path);
        if (existsSync(found)) entries.add(found);
      }
    }
  }
  return { files: [...files], packages };
}

/** Conditions and entries of `exports` whose files were not reached are left out. */
function presentExports(exported, folder) {
  if (typeof exported === "string") return existsSync(join(folder, exported)) ? exported : undefined;
  const kept = Object.entries(exported)
    .map(([key, target]) => [key, presentExports(target, folder)])
    .filter(([, target]) => target !== undefined);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** What is true of the client is so here. */
const readme = (text) =>
  text
    .replaceAll(`${scope}client`, runtimeName)
    .replace(
      /^The driver's side of a Palimpsest cluster:/m,
      "Actors without the part that learns, in one package: the commands of a Palimpsest cluster (`palimpsest dev`, `head`, `worker`, `job`, `status`, …), and for programs",
    )
    .replace(
      /^(?=Node )/m,
      "Recipes, models and memory agents need the package `palimpsest`, whose command has all of these commands, too.\n\n",
    );

/** The versions are those that the packages name. */
function manifest(own, third) {
  const named = Object.assign({}, ...own.map((name) => workspace.get(name).manifest.dependencies ?? {}));
  const inside = own.filter((name) => name !== "cli").map((name) => scope + name);
  const carriedNames = own.flatMap(carriedBy);
  const cliVersions = carriedBy("cli").map((name) => [
    name,
    workspace.get("cli").manifest.dependencies[name],
  ]);
  const { peerDependencies: optional = {} } = peers(own);
  const extra = optionals(own);
  const { version, type, license, sideEffects } = workspace.get("client").manifest;
  const versions = [
    ...inside.map((name) => [name, version]),
    ...third.filter((name) => !carriedNames.includes(name)).map((name) => [name, named[name]]),
    ...cliVersions,
  ];
  return {
    ...{ name: runtimeName, version, description: "Actors alone: the client and the commands of a cluster." },
    ...{ type, license, sideEffects, engines: readManifest(root).engines, ...repositoryOf("client") },
    files: ["bin", "dist", "docs", "skills"],
    bin: { palimpsest: "./bin/palimpsest.js" },
    exports: {
      ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
      "./package.json": "./package.json",
    },
    dependencies: Object.fromEntries(
      versions.filter(([name]) => !(name in optional || name in extra)).sort(),
    ),
    optionalDependencies: extra,
    ...peers(own),
    bundleDependencies: [...inside, ...carriedBy("cli")],
  };
}

const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/**
 * Writes the folder of the package.
 * @param {(name: string) => string} staged returns the folder of a package as its tarball has it
 */
export async function stageRuntime(staged, target) {
  const { files, packages } = await reached();
  const own = new Map();
  for (const file of files) {
    const [, name, path] = /^packages\/[a-z]+\/([a-z-]+)\/(.*)$/.exec(file);
    own.set(name, [...(own.get(name) ?? []), path]);
  }
  for (const name of typed)
    for (const path of readdirSync(staged(name), { recursive: true }))
      if (path.endsWith(".d.ts")) own.get(name).push(path);
  own.get("wire").push("protos");
  own.get("dashboard").push("dist/page");
  own.get("cli").push("LICENSE", "docs", "skills/run");
  for (const [name, paths] of own) {
    const folder = name === "cli" ? target : join(target, "node_modules", scope + name);
    const whole = [
      ...(name === "cli" ? [] : ["LICENSE"]),
      ...carriedBy(name).map((one) => join("node_modules", one)),
    ];
    for (const path of [...paths, ...whole]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(staged(name), path), join(folder, path), { recursive: true });
    }
    if (name === "cli") continue;
    const { exports: exported, ...rest } = bundledManifest(publishedManifest(name));
    writeJson(join(folder, "package.json"), { ...rest, exports: presentExports(exported, folder) });
  }
  const texts = { "bin/palimpsest.js": program, "dist/program/commands.js": commands };
  for (const name of ["dist/index.js", "dist/index.d.ts"]) texts[name] = index;
  texts["README.md"] = readme(readFileSync(join(staged("client"), "README.md"), "utf8"));
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  writeJson(join(target, "package.json"), manifest([...own.keys()], [...packages]));
}
