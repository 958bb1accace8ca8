#!/usr/bin/env node
// `npm run pack [-- FOLDER]`: all packages as tarballs in FOLDER (default: tarballs). What is older than its sources is built first.
// `--table` also writes sizes and numbers of dependencies into docs/guides/packages.md.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stageCreate } from "./pack/create.mjs";
import { readManifest, workspace } from "./pack/manifest.mjs";
import { stageRuntime } from "./pack/runtime.mjs";
import { stagePackage } from "./pack/stage.mjs";
import { writeTable } from "./pack/table.mjs";
import { run } from "./setup/command.mjs";
import { compile, writePages } from "./setup/setup.mjs";

/** Makes the tarballs. Gives file, sizes and name of each as npm tells them, and its manifest. @throws where the sources do not compile */
export async function pack(folder) {
  await compile();
  await writePages();
  const stage = mkdtempSync(join(tmpdir(), "palimpsest-pack-"));
  try {
    const staged = (name) => join(stage, name);
    const names = [...workspace.keys()];
    for (const name of names) await stagePackage(name, staged(name));
    await stageRuntime(staged, staged("runtime"));
    stageCreate(staged("create"));
    const folders = [...names, "runtime", "create"].map(staged);
    mkdirSync(folder, { recursive: true });
    const stdout = await run(
      "npm",
      [
        ...["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder],
        ...folders,
      ],
      { cwd: stage },
    );
    // A list up to npm 11, since npm 12 an object by name.
    const tarballs = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))));
    const manifests = folders.map(readManifest);
    return tarballs.map((tarball) => ({
      ...tarball,
      manifest: manifests.find(({ name }) => name === tarball.name),
    }));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

if (import.meta.filename === process.argv[1] || process.argv[1]?.endsWith("pack.mjs")) {
  const args = process.argv.slice(2);
  const unknown = args.find((arg) => arg.startsWith("--") && arg !== "--table");
  if (unknown) {
    process.stderr.write(`unknown option ${unknown}: give --table, a folder, or nothing\n`);
    process.exit(2);
  }
  const folder = resolve(args.find((arg) => !arg.startsWith("--")) ?? "tarballs");
  const tarballs = await pack(folder);
  for (const { filename, size, unpackedSize } of tarballs)
    process.stdout.write(
      `${join(folder, filename)}  ${(size / 1e6).toFixed(2)} MB, ${(unpackedSize / 1e6).toFixed(2)} MB unpacked\n`,
    );
  if (args.includes("--table")) writeTable(tarballs);
}
