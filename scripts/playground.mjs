#!/usr/bin/env node
// `npm run playground [FOLDER]`: builds the page in which the quickstart's agent learns, one file that loads nothing.
// `npm run playground -- --check`: also lets it learn in Chromium, with its control, and prints what came of it.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPlayground } from "../playground/build.mjs";
import { root } from "./setup/paths.mjs";

const { values, positionals } = parseArgs({
  options: { check: { type: "boolean", default: false } },
  allowPositionals: true,
});
const folder = positionals[0] ?? join(root, "dist-playground");
const { bytes, sha256, baseHash } = await buildPlayground(folder);
process.stdout.write(
  `${join(folder, "index.html")}: ${(bytes / 1e6).toFixed(1)} MB, SHA-256 ${sha256}; base weights ${baseHash}\n`,
);
if (values.check) {
  const { checkPlayground } = await import("../playground/check.mjs");
  await checkPlayground(join(folder, "index.html"), bytes);
}
