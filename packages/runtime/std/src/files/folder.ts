import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a folder and those above it that are missing. `mkdir` with `recursive` asks forever where a file system refuses
 * with ENOENT, as /proc does, and neither a signal nor a deadline ends that.
 * @param mode permissions of what is created, less those of the umask
 * @throws {Error} of the operating system, for the first folder that cannot be created
 */
export function makeFolder(path: string, mode = 0o777): void {
  const folder = resolve(path);
  if (isMade(folder, mode)) return;
  makeFolder(dirname(folder), mode);
  if (!isMade(folder, mode)) mkdirSync(folder, { mode });
}

/** @returns false if the folder above is missing, too. */
function isMade(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (reason) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return true;
    const isMissing = reason instanceof Error && "code" in reason && reason.code === "ENOENT";
    if (!isMissing || dirname(folder) === folder) throw reason;
    return false;
  }
}
