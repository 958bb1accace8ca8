import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder } from "@palimpsest/std/files";

/**
 * Writes a folder that appears either complete or not at all: `fill` writes into a folder next to it, which is then
 * synced and renamed. An existing folder is replaced, or kept if `fill` throws. Whoever writes the files must sync them.
 */
export async function writeWholeFolder(
  folder: string,
  fill: (fresh: string) => Promise<void>,
): Promise<void> {
  const target = resolve(folder);
  const fresh = beside(target, "new");
  makeFolder(fresh);
  try {
    await fill(fresh);
    await moveFolder(fresh, target);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Replaces a folder by a finished one on the same file system. */
export async function moveFolder(fresh: string, target: string): Promise<void> {
  const replaced = beside(target, "old");
  await syncFolder(fresh);
  if (existsSync(target)) await rename(target, replaced);
  try {
    await rename(fresh, target);
  } catch (reason) {
    if (existsSync(replaced)) await rename(replaced, target);
    throw reason;
  }
  await syncFolder(dirname(target));
  await rm(replaced, { recursive: true, force: true });
}

async function writeSyncedFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @param indent spaces per level; 0 for one line, as for a file with thousands of entries */
export async function writeJson(path: string, value: unknown, indent = 2): Promise<void> {
  await writeSyncedFile(path, `${JSON.stringify(value, null, indent)}\n`);
}

function beside(target: string, kind: string): string {
  return join(dirname(target), `.${basename(target)}.${kind}-${randomBytes(6).toString("hex")}`);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
