#!/usr/bin/env node
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

// A URL: as a path, a folder whose name has # or % would be read as another one.
const main = new URL("../dist/main.js", import.meta.url);
if (!existsSync(main)) {
  process.stderr.write("palimpsest is not built: run `npm run quickstart` once, it sets up everything\n");
  process.exit(1);
}
// An installed package sets itself up on its first use; a checkout is set up by its scripts.
const firstUse = new URL("../scripts/first-use.mjs", import.meta.url);
if (existsSync(firstUse) && !(await import(firstUse.href)).firstUse(process.argv.slice(2))) process.exit(1);

const { bundledProgram } = await import("../dist/installation/bundled-programs.js");
const bundled = bundledProgram(["head", "worker"].includes(process.argv[2] ?? "") ? "cli" : "commands");
if (bundled) createRequire(import.meta.url)(bundled);
else await import(main.href);
