#!/usr/bin/env node
// `node scripts/image.mjs LAYERS`: turns a checkout that is set up into what deploy/Dockerfile copies into an image, which cannot be
// undone. The bill of materials is written; packages for development, sources, tests, types and maps go; libtensorflow loses the symbols
// that only debuggers read. What changes seldom is moved into LAYERS, from where it becomes layers of its own.
import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { run } from "./setup/command.mjs";
import { cacheDir, packageDir, packageFolders, root } from "./setup/paths.mjs";
import { ensurePnpm } from "./setup/pnpm.mjs";

const [folder] = process.argv.slice(2);
if (!folder) {
  process.stderr.write("usage: node scripts/image.mjs LAYERS\n");
  process.exit(2);
}
const layers = resolve(folder);
const modules = join(root, "node_modules");

/** Removes files below the folder that a process never reads; links are not followed. */
function removeFiles(parent, isNeedless) {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if (lstatSync(path).isDirectory()) removeFiles(path, isNeedless);
    else if (isNeedless(path)) rmSync(path);
  }
}

await run(process.execPath, [join(root, "scripts/sbom.mjs"), join(root, "sbom.json")]);
const pnpm = await ensurePnpm();
const [program, ...args] = pnpm.command;
// Without the last option pnpm keeps the files of removed packages for a week.
const options = ["--prod", "--frozen-lockfile", "--offline", "--config.modules-cache-max-age=0"];
await run(program, [...args, "install", ...options], { cwd: root, env: { ...process.env, CI: "true" } });

const typesAndMaps = /(\.map|\.d\.[cm]?ts|\.tsbuildinfo)$/;
/** Builds of tfjs for pages, beside the one for Node.js. */
const forBrowsers =
  /@tensorflow\/tfjs[^/]*\/dist\/(tf[\w-]*(\.es2017|\.fesm)?(\.min)?\.js|.*\.html|miniprogram\/.*)$/;
removeFiles(modules, (path) => typesAndMaps.test(path) || forBrowsers.test(path));
for (const own of packageFolders.values()) {
  for (const name of ["src", "page", "fixtures"])
    rmSync(join(root, own, name), { recursive: true, force: true });
  const dist = join(root, own, "dist");
  if (existsSync(dist)) removeFiles(dist, (path) => typesAndMaps.test(path) || /\.test\.[cm]?js$/.test(path));
}
for (const name of ["bench", "test"]) rmSync(join(root, name), { recursive: true, force: true });

// The cache outlives the build, and may have libraries of other builds.
const jit = createRequire(join(packageDir("jit"), "package.json"));
const linked = join(
  dirname(jit.resolve("@tensorflow/tfjs-node-gpu/package.json")),
  "deps/lib/libtensorflow.so.2",
);
const tensorflow = dirname(realpathSync(linked));
const target = join(layers, "cache", relative(cacheDir, tensorflow));
mkdirSync(target, { recursive: true });
for (const name of readdirSync(tensorflow).filter((each) => /\.so\.\d+$/.test(each))) {
  copyFileSync(join(tensorflow, name), join(target, name));
  await run("strip", ["--strip-unneeded", join(target, name)]);
}
if (process.env.PALIMPSEST_ASSUME_GPU) {
  const cuda = join(layers, "cache/cuda");
  cpSync(join(cacheDir, "cuda"), cuda, { recursive: true, verbatimSymlinks: true });
}
// Between file systems nothing can be renamed.
await run("mv", [modules, layers]);
