import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const lookMs = 500;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function take(path) {
  // Linked and not created: a lock is never there without the id of its process.
  const own = `${path}-${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    let holder = 0;
    try {
      holder = Number(readFileSync(path, "utf8"));
    } catch {
      // The lock was released in the meantime.
    }
    if (holder > 0 && !isAlive(holder)) rmSync(path, { force: true });
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Runs `work` while no other process of this machine does so under the same path. A lock whose process has ended is taken over.
 * @param waiting is called once when another process has the lock
 */
export async function withLock(path, waiting, work) {
  mkdirSync(dirname(path), { recursive: true });
  for (let told = false; !take(path); told = true) {
    if (!told) waiting();
    await delay(lookMs);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
