/** Keeps the folder of actors' logs within a size limit: the oldest files of ended processes are removed first. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes the oldest files of ended processes until the folder is within its limit.
 * @param isOpen whether a process still writes to the file at that path
 * @returns how many files were removed
 */
export async function pruneLogs(
  folder: string,
  maxBytes: number,
  isOpen: (path: string) => boolean,
): Promise<number> {
  const names = (await readdir(folder)).filter((name) => /\.log(\.1)?$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const { size, mtimeMs } = (await stat(path).catch(() => undefined)) ?? { size: 0, mtimeMs: 0 };
      return { path, size, mtimeMs };
    }),
  );
  let totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  let removed = 0;
  for (const { path, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (totalBytes <= maxBytes) break;
    if (isOpen(path)) continue;
    await rm(path, { force: true });
    totalBytes -= size;
    removed++;
  }
  return removed;
}
