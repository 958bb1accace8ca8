import { readFile } from "node:fs/promises";
import { DatasetError } from "../error.js";

/**
 * Reads a whole text file (UTF-8).
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function readSourceText(path: string, signal?: AbortSignal): Promise<string> {
  try {
    return await readFile(path, { encoding: "utf8", ...(signal ? { signal } : {}) });
  } catch (error) {
    signal?.throwIfAborted();
    throw new DatasetError(
      "UNREADABLE_FILE",
      `path: cannot read "${path}"; give an existing text file`,
      { path },
      error,
    );
  }
}
