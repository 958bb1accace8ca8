/**
 * Responsibility: folders that are built once, used by many processes at a time, and kept while there is room.
 * Not responsible for: their content (runtime-environments.ts).
 *
 * Invariants:
 * - FOLDERCACHE-1. A folder is used only if it was built completely: it is built under a temporary name and renamed
 *   at the end.
 * - FOLDERCACHE-2. Concurrent users of one folder share one build. If it fails, all of them get its error, and so
 *   does every request within `failureKeptMs`.
 * - FOLDERCACHE-3. Above `maxBytes` the least recently used folders are removed, including those of an earlier
 *   process, but never one in use.
 */

import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";

const failureKeptMs = 10_000;
/**
 * A file with this ending contains the size of the folder of its name. Its modification time is that of the last use.
 */
const sizeEnding = ".bytes";

export interface FolderCacheDeps {
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Fills an empty folder. */
export type MakeFolder = (folder: string) => Promise<void>;

export interface UsedFolder {
  readonly path: string;
  /** Must be called when the folder is no longer used. Further calls do nothing. */
  readonly release: () => void;
}

export class FolderCache {
  readonly #deps: FolderCacheDeps;
  readonly #users = new Map<string, number>();
  readonly #making = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, { readonly error: PalimpsestError; readonly atMs: number }>();
  #prepared: Promise<void> | undefined;
  /** Removals run one after the other. */
  #removing: Promise<void> = Promise.resolve();

  constructor(deps: FolderCacheDeps) {
    this.#deps = deps;
  }

  /**
   * @param name letters, digits and "-" that identify the content
   * @throws whatever `make` throws; LIMIT_EXCEEDED for a folder larger than the limit of all
   */
  async use(name: string, make: MakeFolder): Promise<UsedFolder> {
    // The user is counted before the first await, so that this folder stays whatever is built or removed in the
    // meantime (FOLDERCACHE-3).
    this.#users.set(name, (this.#users.get(name) ?? 0) + 1);
    let used = true;
    const release = () => {
      if (!used) return;
      used = false;
      const left = (this.#users.get(name) ?? 1) - 1;
      if (left > 0) this.#users.set(name, left);
      else this.#users.delete(name);
    };
    try {
      let making = this.#making.get(name);
      if (making === undefined) {
        making = this.#ensure(name, make).finally(() => this.#making.delete(name));
        this.#making.set(name, making);
      }
      await making;
      return { path: join(this.#deps.folder, name), release };
    } catch (reason) {
      release();
      throw reason;
    }
  }

  async #ensure(name: string, make: MakeFolder): Promise<void> {
    const { folder, clock } = this.#deps;
    await this.#prepare();
    // A folder that is being removed cannot be used, and is built again.
    await this.#removing;
    const sizeFile = join(folder, `${name}${sizeEnding}`);
    const now = new Date(clock.now());
    if (await succeeds(utimes(sizeFile, now, now))) return;
    const failure = this.#failures.get(name);
    if (failure && clock.monotonicMs() - failure.atMs < failureKeptMs) throw failure.error;
    this.#failures.delete(name);
    try {
      await this.#make(name, sizeFile, make);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      if (error.code === "ENVIRONMENT_FAILED") this.#failures.set(name, { error, atMs: clock.monotonicMs() });
      throw error;
    }
    this.#removing = this.#makeRoom();
    await this.#removing;
  }

  async #make(name: string, sizeFile: string, make: MakeFolder): Promise<void> {
    const { folder, maxBytes, clock } = this.#deps;
    const passing = join(folder, `${name}.${randomBytes(6).toString("hex")}.part`);
    try {
      await mkdir(passing, { mode: 0o700 });
      await make(passing);
      const sizeBytes = await sizeOf(passing);
      if (sizeBytes > maxBytes)
        throw new PalimpsestError(
          "LIMIT_EXCEEDED",
          `it takes ${sizeBytes} bytes, more than the ${maxBytes} that this node keeps of all environments: make it smaller, or raise environmentCacheBytes`,
        );
      await rename(passing, join(folder, name));
      await writeFile(sizeFile, String(sizeBytes), { mode: 0o600 });
      const now = new Date(clock.now());
      await utimes(sizeFile, now, now);
    } finally {
      await removeTree(passing);
    }
  }

  /** Creates the folder, and removes what a killed process has left unfinished. */
  async #prepare(): Promise<void> {
    const { folder } = this.#deps;
    this.#prepared ??= (async () => {
      makeFolder(folder, 0o700);
      const names = await readdir(folder);
      const whole = new Set(names.filter((name) => name.endsWith(sizeEnding)));
      for (const name of names)
        if (!name.endsWith(sizeEnding) && !whole.has(`${name}${sizeEnding}`))
          await removeTree(join(folder, name));
    })();
    try {
      await this.#prepared;
    } catch (reason) {
      this.#prepared = undefined;
      throw reason;
    }
  }

  async #makeRoom(): Promise<void> {
    const { folder, maxBytes, logger } = this.#deps;
    const kept = await Promise.all(
      (await readdir(folder))
        .filter((name) => name.endsWith(sizeEnding))
        .map(async (file) => {
          const path = join(folder, file);
          const usedAtMs = await lstat(path).then(
            ({ mtimeMs }) => mtimeMs,
            () => 0,
          );
          const sizeBytes = Number(await readFile(path, "utf8").catch(() => "0"));
          return { name: file.slice(0, -sizeEnding.length), path, usedAtMs, sizeBytes };
        }),
    );
    let totalBytes = kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const { name, path, sizeBytes } of kept.sort((a, b) => a.usedAtMs - b.usedAtMs)) {
      if (totalBytes <= maxBytes) return;
      if (this.#users.has(name)) continue;
      try {
        // The size file, which marks the folder as complete, is removed first, so that an interrupted removal leaves
        // nothing that could be used.
        await rm(path, { force: true });
        await removeTree(join(folder, name));
        totalBytes -= sizeBytes;
      } catch (reason) {
        logger.warn({ err: reason, folder: name }, "an unused environment was not removed");
      }
    }
  }
}

/** Removes a tree, including folders without write permission. */
export async function removeTree(path: string): Promise<void> {
  if (await succeeds(rm(path, { recursive: true, force: true }))) return;
  await makeWritable(path);
  await rm(path, { recursive: true, force: true });
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}

async function sizeOf(folder: string): Promise<number> {
  let sizeBytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    sizeBytes += entry.isDirectory() ? await sizeOf(path) : (await lstat(path)).size;
  }
  return sizeBytes;
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
