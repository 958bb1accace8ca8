// Puts the libraries where libtensorflow looks: its run path has `$ORIGIN/../nvidia/<part>/lib`, and beside the addon's links
// $ORIGIN is `deps/lib`. So no variable of the environment is needed.
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { table } from "./find.mjs";

/** What NVIDIA's libraries open of each other stands beside them under its own name. */
const ofNvidia = /^lib(cu|nv|nccl)[\w-]*\.so/;

function namesOf(found) {
  const links = new Map();
  for (const folder of new Set(found.map(({ file }) => dirname(file))))
    for (const name of readdirSync(folder)) if (ofNvidia.test(name)) links.set(name, join(folder, name));
  for (const { opened, file } of found) links.set(opened, file);
  for (const { file } of found) links.set(basename(file), file);
  return new Map([...links].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function linkTo(target, path) {
  const current = lstatSync(path, { throwIfNoEntry: false });
  if (current?.isSymbolicLink() && readlinkSync(path) === target) return false;
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
  return true;
}

/**
 * @param found libraries with their files, all of them
 * @param tools a folder with nvvm/libdevice, if there is one
 * @param depsDir `deps` of the addon's package
 * @param linksRoot where folders of links are kept, one for each set of files
 * @returns whether anything changed
 */
export function linkLibraries(found, { tools, depsDir, linksRoot }) {
  const names = namesOf(found);
  const key = createHash("sha256")
    .update(JSON.stringify([...names]))
    .digest("hex")
    .slice(0, 16);
  const folder = join(linksRoot, `links-${key}`);
  if (!existsSync(folder)) {
    mkdirSync(linksRoot, { recursive: true });
    const partial = mkdtempSync(`${folder}.partial-`);
    for (const [name, file] of names) symlinkSync(file, join(partial, name));
    renameSync(partial, folder);
  }
  const parts = [...new Set(table.libraries.map((library) => library.folder))];
  const changes = parts.map((part) => linkTo(folder, join(depsDir, "nvidia", part, "lib")));
  if (tools) changes.push(linkTo(tools, join(depsDir, "nvidia", table.tools.folder)));
  return changes.includes(true);
}
