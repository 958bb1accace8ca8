import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { isProcessAlive } from "@palimpsest/std";
import { z } from "zod";
import { DatasetError } from "../error.js";

const holderSchema = z.object({ pid: z.int().positive(), host: z.string() });

/**
 * Does work while holding the lock of a path, `PATH.lock`, which names its process. The lock of a process that has
 * ended on this machine is taken over; whether a process on another machine has ended cannot be known here.
 * @throws {DatasetError} BAD_CONFIG with the name of the process that has the lock
 */
export async function withRatingLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await take(path, lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(path: string, lock: string): Promise<void> {
  // The lock is linked rather than created, so that it never exists without its contents.
  const own = `${lock}-${randomBytes(6).toString("hex")}`;
  await writeFile(own, JSON.stringify({ pid: process.pid, host: hostname() }));
  try {
    for (;;) {
      const taken = await link(own, lock).then(
        () => true,
        (reason: NodeJS.ErrnoException) => {
          if (reason.code === "EEXIST") return false;
          throw reason;
        },
      );
      if (taken) return;
      const said = await readFile(lock, "utf8").catch(() => undefined);
      // The lock was released in the meantime.
      if (said === undefined) continue;
      if (!hasEnded(said)) throw busy(path, lock, said);
      await removeIfStill(lock, said);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes a lock. If another process has taken it over since it was read, that process's lock is put back. */
async function removeIfStill(lock: string, said: string): Promise<void> {
  const aside = `${lock}-${randomBytes(6).toString("hex")}`;
  try {
    await rename(lock, aside);
  } catch (reason) {
    if (reason instanceof Error && "code" in reason && reason.code === "ENOENT") return;
    throw reason;
  }
  if ((await readFile(aside, "utf8")) !== said) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

function holderOf(said: string): z.infer<typeof holderSchema> | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(said)).data;
  } catch {
    return undefined;
  }
}

function hasEnded(said: string): boolean {
  const holder = holderOf(said);
  return holder !== undefined && holder.host === hostname() && !isProcessAlive(holder.pid);
}

function busy(path: string, lock: string, said: string): DatasetError {
  const holder = holderOf(said);
  const who = holder === undefined ? "another process" : `process ${holder.pid} of ${holder.host}`;
  return new DatasetError(
    "BAD_CONFIG",
    `out: "${path}" is being written by ${who}; wait until that ends, give another file, or, if you know that it has ended, remove ${lock}`,
    { path },
  );
}
