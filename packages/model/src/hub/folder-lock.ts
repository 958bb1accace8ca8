import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const pollIntervalMs = 200;

/**
 * Runs `work` while nobody else on this machine does under the same path. A lock whose process is gone is
 * taken over. It saves downloading twice at once; that a folder is right is checked by hash, not by this.
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
  // Linked and not created: a lock is never there without the id of its process.
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
