import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const pollIntervalMs = 200;

/**
 * Runs `work` while no other process on this machine runs work under the same path. A lock whose process is gone is
 * taken over. The lock only prevents two downloads of the same files at once; hashes, and not the lock, ensure that a
 * folder is right.
 * @throws the signal's reason
 */
export async function withFolderLock<T>(
  folder: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const path = `${folder}.lock`;
  while (!(await take(path))) {
    signal?.throwIfAborted();
    await delay(pollIntervalMs);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  // The lock is a link to a finished file, so that it never exists without the id of its process.
  const own = `${path}-${randomBytes(6).toString("hex")}`;
  await writeFile(own, String(process.pid));
  try {
    await link(own, path);
    return true;
  } catch (reason) {
    if (!(reason instanceof Error && "code" in reason && reason.code === "EEXIST")) throw reason;
    const holder = Number(await readFile(path, "utf8").catch(() => ""));
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
    return false;
  } finally {
    await rm(own, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (reason) {
    return reason instanceof Error && "code" in reason && reason.code === "EPERM";
  }
}
