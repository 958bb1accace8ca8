import { readFile } from "node:fs/promises";
import { reasonText } from "@palimpsest/std/input";
import { conversion, fileKind, utf8Problem, utf8Text, wideEncoding } from "@palimpsest/trajectories/text";
import { DatasetError } from "../error.js";

/**
 * Reads a whole text file (UTF-8).
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function readSourceText(path: string, signal?: AbortSignal): Promise<string> {
  const bytes = await readFile(path, signal ? { signal } : {}).catch((error: NodeJS.ErrnoException) => {
    signal?.throwIfAborted();
    const why = error.code === "EISDIR" ? "is a folder" : `cannot be read (${reasonText(error)})`;
    throw new DatasetError(
      "UNREADABLE_FILE",
      `path: "${path}" ${why}; give an existing text file`,
      { path },
      error,
    );
  });
  const text = utf8Text(bytes);
  if (text !== undefined) return text;
  const problem = foreignBytes(bytes) ?? `is not UTF-8: ${utf8Problem(bytes)}`;
  throw new DatasetError("UNREADABLE_FILE", `path: "${path}" ${problem}`, { path });
}

/** Says of a file that is no text in UTF-8 what it is and what to do, if its first bytes show it. */
export function foreignBytes(head: Uint8Array): string | undefined {
  const kind = fileKind(head);
  if (kind !== undefined) return `is ${kind.name}; ${kind.fix}`;
  const wide = wideEncoding(head);
  return wide === undefined ? undefined : `is ${wide.toUpperCase()}; ${conversion(wide)}`;
}
