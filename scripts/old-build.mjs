#!/usr/bin/env node
// `node scripts/old-build.mjs`: compiles the last commit whose processes speak protocol 1 alone, once, and prints the path of its
// command. Tests and benchmarks of upgrades run it beside the present build. It needs the history of the repository.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { output } from "./setup/command.mjs";
import { packageFolders, root } from "./setup/paths.mjs";

const commit = "e9f65a7b018ceb75a537b9757c21b00280a6e16d";

const parts = [
  "packages",
  "protos",
  "scripts",
  "package.json",
  "pnpm-workspace.yaml",
  "tsconfig.base.json",
  "tsconfig.json",
];

/** The path of the old command, or undefined where the commit is not in this clone. */
export function oldBuild() {
  const folder = join(root, ".palimpsest", `build-${commit.slice(0, 12)}`);
  const command = join(folder, "packages/apps/cli/bin/palimpsest.js");
  if (existsSync(join(folder, "built"))) return command;
  if (output("git", ["cat-file", "-t", commit], { cwd: root }) !== "commit") return undefined;
  const making = `${folder}-${process.pid}`;
  mkdirSync(making, { recursive: true });
  const archive = execFileSync("git", ["archive", commit, ...parts], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x", "-C", making], { input: archive });
  // Its dependencies are those of this checkout; the links between its packages are relative, and lead to its own.
  symlinkSync(join(root, "node_modules"), join(making, "node_modules"));
  for (const path of packageFolders.values()) {
    const links = join(root, path, "node_modules");
    if (existsSync(links) && existsSync(join(making, path)))
      cpSync(links, join(making, path, "node_modules"), { recursive: true, verbatimSymlinks: true });
  }
  // The old packages had all of tfjs where these have its core.
  const tfjs = "node_modules/@tensorflow/tfjs";
  for (const path of ["packages/learning/model", "packages/learning/learner"])
    cpSync(join(root, "packages/learning/jit", tfjs), join(making, path, tfjs), { verbatimSymlinks: true });
  execFileSync(process.execPath, ["scripts/generate-protos.mjs"], { cwd: making, stdio: "inherit" });
  // Its types were checked when it was the present. Here they are only removed, without the compiler.
  for (const path of packageFolders.values()) {
    const source = join(making, path, "src");
    if (!existsSync(source)) continue;
    const files = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((name) => !name.endsWith(".test.ts"))
      .map((name) => join(source, name));
    const removeTypes = (ending, format, written) =>
      buildSync({
        entryPoints: files.filter((file) => file.endsWith(ending)),
        ...{ format, outExtension: { ".js": written } },
        ...{ outbase: source, outdir: join(making, path, "dist"), logLevel: "warning" },
      });
    removeTypes(".ts", "esm", ".js");
    removeTypes(".cts", "cjs", ".cjs");
  }
  writeFileSync(join(making, "built"), "");
  try {
    renameSync(making, folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(join(folder, "built"))) throw error;
    rmSync(making, { recursive: true, force: true });
  }
  return command;
}

if (import.meta.filename === process.argv[1]) {
  const command = oldBuild();
  process.stdout.write(`${command ?? `this clone does not have the commit ${commit}`}\n`);
  process.exitCode = command === undefined ? 1 : 0;
}
