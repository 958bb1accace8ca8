#!/usr/bin/env node
// `node scripts/house.mjs`: how large the house is and how it is divided, of what git tracks. Run it in a checkout of another
// commit with `--root FOLDER` to compare.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { entryPoints, exportsOf } from "./exports.mjs";
import { root as own } from "./setup/paths.mjs";

const at = process.argv.indexOf("--root");
const root = at < 0 ? own : process.argv[at + 1];
const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trimEnd().split("\n");
const bytes = new Map(tracked.map((file) => [file, readFileSync(join(root, file))]));
const isText = (file) => !bytes.get(file).subarray(0, 8000).includes(0);
const linesOf = (file) => bytes.get(file).toString("utf8").split("\n").length - 1;
const sum = (files) => files.reduce((total, file) => total + linesOf(file), 0);

const source = tracked.filter((file) => /^packages\/[^/]+\/[^/]+\/(?:page\/)?src\/.*\.tsx?$/.test(file));
const isProduct = (file) => !/\.(?:test|fixture)\.|\/(?:testing|faults|generated)\//.test(file);
const product = source.filter(isProduct);

/** Who imports each product file, by relative specifiers. */
const importers = new Map(product.map((file) => [file, new Set()]));
for (const file of product) {
  for (const [, specifier] of bytes
    .get(file)
    .toString("utf8")
    .matchAll(/(?:from|import\() ?"(\.{1,2}\/[^"]+)"/g)) {
    const target = normalize(join(dirname(file), specifier)).replace(/\.jsx?$/, "");
    for (const end of [".ts", ".tsx"]) importers.get(target + end)?.add(file);
  }
}
const hasTest = (file) => bytes.has(file.replace(/\.tsx?$/, ".test.ts"));
const small = product.filter(
  (file) => importers.get(file).size === 1 && linesOf(file) <= 60 && !hasTest(file),
);

const entries = new Map();
for (const file of source) {
  for (let path = file; !path.endsWith("/src"); path = dirname(path)) {
    const folder = dirname(path);
    entries.set(folder, (entries.get(folder) ?? new Set()).add(basename(path)));
  }
}
const wide = [...entries]
  .filter(([, names]) => names.size > 40)
  .map(([folder, { size }]) => `${folder} ${size}`);

// What a script writes says so in a file's first lines, or around a part of it.
const ownText = (text) =>
  text.replace(/<!-- \S+ writes this(?: table)? -->.*?<!-- end(?: of the table)? -->/gs, "");
const isWritten = (file) => !/Written by scripts|Made from `/.test(bytes.get(file).toString("utf8", 0, 300));
const written = tracked.filter((file) => file.endsWith(".md") && isWritten(file));
const words = written
  .map((file) => ownText(bytes.get(file).toString("utf8")).split(/\s+/).filter(Boolean).length)
  .reduce((total, count) => total + count, 0);

const manifests = tracked.filter((file) => /^packages\/(?:.+\/)?package\.json$/.test(file));
const entry = entryPoints(root, manifests, "@palimpsest/source");
const share = (points) => {
  const found = new Map();
  for (const file of points)
    for (const one of exportsOf(file, (name) => entry.get(name)).values())
      found.set(`${one.file} ${one.name}`, one);
  const documented = [...found.values()].filter(({ comment }) => comment !== "").length;
  return `${((100 * documented) / found.size).toFixed(1)} %`;
};
const forUsers = [...entry].filter(([name]) => /^@palimpsest\/(client|agents|trainer)$/.test(name));

for (const [what, value] of [
  ["tracked text lines", sum(tracked.filter(isText))],
  ["product lines", sum(product)],
  ["product files", product.length],
  ["files of one importer, at most 60 lines, no test", small.length],
  ["folders of more than 40 entries", wide.length],
  ["words of documents written by hand", words],
  ["exports of entry points with a doc comment", share([...entry.values()])],
  ["of those of client, agents and trainer", share(forUsers.map(([, file]) => file))],
]) {
  process.stdout.write(`${String(value).padStart(8)}  ${what}\n`);
}
if (wide.length > 0) process.stdout.write(`${wide.join("\n")}\n`);
