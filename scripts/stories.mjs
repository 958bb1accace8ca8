#!/usr/bin/env node
// `npm run stories [-- VITEST FILTERS AND FLAGS]`: packs everything, installs all tarballs with npm into one empty project, sets up
// the installed command as its first use does, and runs the numbered stories there. Ends with `N stories: N passed, N failed, N s`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { publishedName, workspace } from "./pack/manifest.mjs";
import { installTarballs, makeEmptyProject } from "./pack/project.mjs";
import { pack } from "./pack.mjs";
import { run } from "./setup/command.mjs";
import { root } from "./setup/paths.mjs";

const filters = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "palimpsest-stories-"));
const project = join(folder, "project");

async function timed(what, work) {
  const startedAt = performance.now();
  const result = await work();
  process.stdout.write(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`);
  return result;
}

/** Links what only tests need: the test runner, and clients that the command is tried with. */
function linkDevelopment() {
  for (const entry of readdirSync(join(root, "node_modules"), { withFileTypes: true })) {
    if (entry.name === "@palimpsest" || entry.name.startsWith(".")) continue;
    const names = entry.name.startsWith("@") ? readdirSync(join(root, "node_modules", entry.name)) : [""];
    for (const name of names) {
      const path = join(project, "node_modules", entry.name, name);
      mkdirSync(join(path, ".."), { recursive: true });
      if (!existsSync(path)) symlinkSync(join(root, "node_modules", entry.name, name), path);
    }
  }
}

/**
 * The tests and what they read lie in the project as they do in the checkout; where they name built code or the command,
 * it is that of the installed packages.
 */
function layOut() {
  for (const name of [
    "test",
    "examples",
    "recipes",
    "docs",
    "deploy",
    "protos",
    "README.md",
    "vitest.config.ts",
  ])
    cpSync(join(root, name), join(project, name), { recursive: true });
  for (const { folder, manifest } of workspace.values()) {
    const installed = join(project, "node_modules", publishedName(manifest.name));
    const own = join(project, relative(root, folder));
    cpSync(join(folder, "src"), join(own, "src"), { recursive: true });
    for (const part of ["dist", "generated", "bin"])
      if (existsSync(join(installed, part))) symlinkSync(join(installed, part), join(own, part));
  }
}

async function runStories() {
  const reportFile = join(folder, "report.json");
  const runner = join(project, "node_modules/vitest/vitest.mjs");
  const flags = ["run", "--project=together", "--reporter=default", "--reporter=json"];
  const stories = filters.some((filter) => !filter.startsWith("-")) ? [] : ["test/stories/"];
  const child = spawn(
    process.execPath,
    [runner, ...flags, `--outputFile.json=${reportFile}`, ...stories, ...filters],
    {
      cwd: project,
      stdio: "inherit",
      env: { ...process.env, PALIMPSEST_SHARED: process.env.PALIMPSEST_SHARED ?? join(root, "../shared") },
    },
  );
  const [status] = await once(child, "close");
  if (!existsSync(reportFile)) throw new Error(`vitest ended with ${status} and wrote no report`);
  return JSON.parse(readFileSync(reportFile, "utf8"));
}

let failed = 1;
const startedAt = performance.now();
try {
  const tarballs = join(folder, "tarballs");
  const packed = await timed("packed", () => pack(tarballs));
  makeEmptyProject(project);
  const files = packed.map(({ filename }) => join(tarballs, filename));
  await timed("installed", () => installTarballs(project, files));
  const setup = join(project, "node_modules/palimpsest/scripts/setup.mjs");
  await timed("set up", () => run(process.execPath, [setup], { cwd: project, show: true }));
  linkDevelopment();
  layOut();
  const { testResults, numPassedTests, numFailedTests } = await timed("stories", runStories);
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  failed = numFailedTests + broken.length;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(
    `${testResults.length} stories: ${numPassedTests} passed, ${failed} failed, ${seconds} s\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
