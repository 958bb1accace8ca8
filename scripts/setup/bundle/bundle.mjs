// Bundles of the programs that are started often or whose start is waited for: an actor's process, the actors of training
// and the command. A program that reads one file, with the code cache of what it runs, starts in a third of the time of one
// that reads several hundred modules. Nothing depends on them: where they are missing, or older than a module of theirs,
// the modules run (packages/apps/cli/src/installation/bundled-programs.ts).
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { isCheckout, packageDir } from "../paths.mjs";
import { doorOf, loaderOf, standIn } from "./loader.mjs";
import { bundle } from "./modules.mjs";
import { recordCaches, recordCommands, recordLearning } from "./record.mjs";
import { makeSnapshot } from "./snapshot.mjs";

const cliFolder = join(packageDir("cli"), "dist");
const folder = join(cliFolder, "bundled");
/** What actors import beside the bundle of their process is the bundle's: classes and errors are the same. */
const shared = [
  {
    name: "wire",
    specifier: "@palimpsest/wire",
    package: "wire",
    file: "dist/bundled.js",
    original: "./index.js",
  },
  {
    name: "protocol",
    specifier: "@palimpsest/wire/protocol",
    package: "wire",
    file: "dist/bundled-protocol.js",
    original: "../generated/protocol.js",
  },
  {
    name: "telemetry",
    specifier: "@palimpsest/telemetry",
    package: "telemetry",
    file: "dist/bundled.js",
    original: "./index.js",
  },
  {
    name: "client",
    specifier: "@palimpsest/client",
    package: "client",
    file: "dist/bundled.js",
    original: "./index.js",
  },
];
const programs = {
  worker: { cacheOf: '"worker.cache"', recording: "SIGUSR2", runs: "runProgram" },
  // What a head runs is not what a node runs.
  cli: { cacheOf: 'process.argv[2] === "worker" ? "node.cache" : "head.cache"', recording: "SIGUSR2" },
  commands: { cacheOf: '"commands.cache"', recording: "exit" },
  learning: { cacheOf: '"learning.cache"', recording: "exit" },
};
/** Modules of the installation that nodes start actors of, and the file in the bundles' folder that stands for each. */
const actorModules = {
  "@palimpsest/trainer/actors": "trainer-actors.mjs",
  "@palimpsest/trainer/reward-actor": "trainer-reward-actor.mjs",
};
/** What modules of users may import (packages/learning/trainer/src/modules/installed.ts): they get the bundle's, not a second one. */
const importable = [
  ...["agents", "datasets", "learner", "memory", "model", "rewards", "trajectories"],
  ...["memory/records", "memory/text", "memory/random"],
  ...["trajectories/records", "trajectories/text", "trajectories/random"],
].map((name) => `@palimpsest/${name}`);

function workerSource() {
  const imports = shared.map(({ name, specifier }) => `import * as ${name} from "${specifier}";`);
  const names = shared.map(({ name }) => name).join(", ");
  return `${imports.join("\n")}
globalThis[Symbol.for("palimpsest.bundled")] = { ${names} };
export { runProgram } from "@palimpsest/worker/program";
`;
}

const lazily = (specifiers) =>
  `{ ${specifiers.map((one) => `${JSON.stringify(one)}: () => require(${JSON.stringify(one)})`).join(", ")} }`;
const packagesSource = `globalThis[Symbol.for("palimpsest.bundled.packages")] = ${lazily(importable)};\n`;
/** The trainer itself only trains while the code cache is recorded. */
const learningModules = [...Object.keys(actorModules), "@palimpsest/trainer"];
const learningSource = `${packagesSource}export const modules = ${lazily(learningModules)};\n`;

/** Commands that end soon or compute have a bundle of their own, and what they need with them. */
const commandsFolder = join(cliFolder, "commands");
const longCommands = {
  test: (path) =>
    dirname(path) === join(commandsFolder, "cluster") && /^(head|worker)\.js$/.test(basename(path)),
};
const otherCommands = {
  test: (path) => path.startsWith(commandsFolder + sep) && !longCommands.test(path),
};

function writeLoaders(recording) {
  for (const [name, program] of Object.entries(programs)) {
    const options = { ...program, recording: recording ? program.recording : undefined };
    writeFileSync(join(folder, `${name}.cjs`), loaderOf(`${name}.bundle.js`, options));
  }
}

/** The texts of a package's stand-ins, by their paths in it: of its modules as they are built now. */
export async function standInsOf(owner) {
  const own = shared.filter((one) => one.package === owner);
  const texts = own.map(async ({ name, file, original }) => {
    const module = await import(pathToFileURL(join(packageDir(owner), file, "..", original)).href);
    return [file, standIn(name, original, Object.keys(module))];
  });
  return new Map(await Promise.all(texts));
}

async function writeStandIns() {
  // An installed package brings them: they are the same on every machine.
  if (!isCheckout) return;
  for (const owner of new Set(shared.map((one) => one.package)))
    for (const [file, text] of await standInsOf(owner)) writeFileSync(join(packageDir(owner), file), text);
}

/** What makes bundles of modules: where it is another one, so are they. */
const bundler = () => [
  ...readdirSync(import.meta.dirname).map((name) => join(import.meta.dirname, name)),
  createRequire(join(packageDir("client"), "package.json")).resolve("esbuild/package.json"),
];

function writeManifest(name, modules) {
  const stated = (paths) =>
    paths.map((path) => {
      const { size, mtimeMs } = statSync(path);
      return [relative(folder, path), size, mtimeMs];
    });
  const manifest = { bundler: stated(bundler()), modules: stated(modules) };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(manifest));
}

/** Whether the bundles are there and of the modules and the bundler as they are. */
export async function bundlesAreFresh() {
  const { bundledProgram } = await import(
    pathToFileURL(join(cliFolder, "installation/bundled-programs.js")).href
  );
  return Object.keys(programs).every((name) => bundledProgram(name) !== undefined);
}

/** Makes the bundles. Needs built packages. @throws when one cannot be made */
export async function makeBundles() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const common = { folder: cliFolder };
  const [worker, cli, commands, learning] = await Promise.all([
    bundle({ ...common, source: workerSource(), outfile: join(folder, "worker.bundle.js") }),
    bundle({
      ...common,
      source: 'import "./main.js";',
      outfile: join(folder, "cli.bundle.js"),
      external: otherCommands,
    }),
    bundle({
      ...common,
      source: `${packagesSource}import "./main.js";`,
      outfile: join(folder, "commands.bundle.js"),
      external: longCommands,
      learning: true,
    }),
    bundle({
      ...common,
      source: learningSource,
      outfile: join(folder, "learning.bundle.js"),
      shared: Object.fromEntries(shared.map(({ name, specifier }) => [specifier, name])),
      learning: true,
    }),
    writeStandIns(),
  ]);
  writeLoaders(true);
  writeManifest("worker", worker);
  writeManifest("cli", cli);
  writeManifest("commands", commands);
  writeManifest("learning", learning);
  try {
    const [names] = await Promise.all([
      recordLearning(folder, shared),
      recordCommands(folder),
      recordCaches(folder),
    ]);
    for (const [specifier, file] of Object.entries(actorModules))
      writeFileSync(join(folder, file), doorOf("learning", specifier, names[specifier]));
  } finally {
    writeLoaders(false);
  }
  // Once the processes are recorded that would start from it.
  await makeSnapshot(folder);
}
