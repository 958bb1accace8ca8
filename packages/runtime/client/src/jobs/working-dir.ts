/**
 * Packs a folder as the working directory of a job's driver, an actor or a task.
 *
 * Files that its `.gitignore` files name are left out, as are `.git` and `node_modules`. The same files give the same
 * bytes, so that an unchanged folder is stored once.
 */
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import ignore, { type Ignore } from "ignore";
import { type Bundle, bundleOf } from "./bundle.js";

const alwaysIgnored: ReadonlySet<string> = new Set([".git", "node_modules"]);
/** The maximum size before compression. Larger data belongs on a path that all machines see. */
const maxFolderBytes = 256 * 1024 * 1024;
const maxFiles = 20_000;

export interface Found {
  readonly path: string;
  readonly sizeBytes: number;
  readonly executable: boolean;
}

/** The rules of one `.gitignore`, for paths relative to its folder. */
interface Rules {
  /** "" for the packed folder itself, else a path that ends in "/". */
  readonly prefix: string;
  readonly matcher: Ignore;
}

/**
 * @throws {PalimpsestError} INVALID_ARGUMENT if the path is no folder, or contains a symbolic link or a special file;
 *   LIMIT_EXCEEDED above 256 MiB or 20,000 files
 */
export async function packWorkingDir(folder: string): Promise<Bundle> {
  const root = resolve(folder);
  const entry = await stat(root).catch((cause: unknown) => {
    const problem = `working directory ${root} cannot be read (${reasonText(cause)}): name one that exists`;
    throw new PalimpsestError("INVALID_ARGUMENT", problem, { cause });
  });
  if (!entry.isDirectory()) throw refused(`working directory ${root} is not a folder: name one that exists`);
  const what = `working directory ${root}`;
  return await packFiles(
    root,
    await filesIn(root, "", []),
    what,
    "name what is not needed in its .gitignore",
  );
}

/**
 * Packs files of a folder, which keep their paths within it.
 * @param what names the folder in messages, and `advice` says what to do if it is too large
 * @throws {PalimpsestError} LIMIT_EXCEEDED
 */
export async function packFiles(
  root: string,
  found: readonly Found[],
  what: string,
  advice: string,
): Promise<Bundle> {
  const sizeBytes = found.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (sizeBytes > maxFolderBytes || found.length > maxFiles) {
    const largest = [...found].sort((a, b) => b.sizeBytes - a.sizeBytes)[0];
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `${what} has ${sizeBytes} bytes in ${found.length} files, more than ${maxFolderBytes} or ` +
        `${maxFiles}; the largest is ${largest?.path}: ${advice}`,
    );
  }
  const files: proto.WorkingFile.$Properties[] = [];
  for (const { path, executable } of [...found].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    files.push({ path, executable, data: await readFile(join(root, path)) });
  }
  return bundleOf(await promisify(gzip)(proto.WorkingDirectory.encode({ files }).finish()));
}

/** Reads the file at a path of a folder. */
export async function fileAt(root: string, path: string): Promise<Found> {
  const { size, mode } = await stat(join(root, path));
  return { path, sizeBytes: size, executable: (mode & 0o100) !== 0 };
}

/**
 * Lists the files of a folder and of the folders below it.
 * @param prefix path of the folder whose files are listed: "", or a path that ends in "/"
 * @param outer rules of `.gitignore` files that apply; undefined if such files are ignored
 */
export async function filesIn(
  root: string,
  prefix: string,
  outer: readonly Rules[] | undefined,
): Promise<Found[]> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true });
  const own = entries.some((entry) => entry.name === ".gitignore" && entry.isFile());
  const rules = own && outer ? [...outer, await rulesIn(root, prefix)] : outer;
  const found: Found[] = [];
  for (const entry of entries) {
    const path = `${prefix}${entry.name}`;
    if (alwaysIgnored.has(entry.name) || isIgnored(entry, path, rules ?? [])) continue;
    if (entry.isDirectory()) found.push(...(await filesIn(root, `${path}/`, rules)));
    else if (entry.isFile()) {
      found.push(await fileAt(root, path));
    } else {
      const what = entry.isSymbolicLink()
        ? "a symbolic link, which may lead out of the folder"
        : "not a regular file";
      throw refused(`${join(root, path)} is ${what}: replace it, or name it in ${join(root, ".gitignore")}`);
    }
  }
  return found;
}

async function rulesIn(root: string, prefix: string): Promise<Rules> {
  return { prefix, matcher: ignore().add(await readFile(join(root, prefix, ".gitignore"), "utf8")) };
}

/** Returns whether a file is ignored. The innermost rule that matches decides, as in git. */
function isIgnored(entry: Dirent, path: string, rules: readonly Rules[]): boolean {
  for (const { prefix, matcher } of [...rules].reverse()) {
    const relative = path.slice(prefix.length) + (entry.isDirectory() ? "/" : "");
    const verdict = matcher.test(relative);
    if (verdict.ignored || verdict.unignored) return verdict.ignored;
  }
  return false;
}

function refused(message: string): PalimpsestError {
  return new PalimpsestError("INVALID_ARGUMENT", message);
}
