import { readFile } from "node:fs/promises";
import { conversion, fileKind, markedEncoding, utf8Problem, utf8Text } from "@palimpsest/trajectories/text";
import { DatasetError } from "../error.js";

/**
 * Reads a whole text file (UTF-8).
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function readSourceText(path: string, signal?: AbortSignal): Promise<string> {
  const bytes = await readFile(path, signal ? { signal } : {}).catch((error: NodeJS.ErrnoException) => {
    signal?.throwIfAborted();
    const why = error.code === "EISDIR" ? "is a folder" : "cannot be read";
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
  const marked = markedEncoding(head);
  const wide = marked === "utf-8" ? undefined : (marked ?? wideEncoding(head));
  return wide === undefined ? undefined : `is ${wide.toUpperCase()}; ${conversion(wide)}`;
}

/** Recognizes UTF-16 and UTF-32 without a mark by the zero bytes of a first character in ASCII, as JSON's is. */
function wideEncoding([a, b, c, d]: Uint8Array): string | undefined {
  if (a === 0 && b === 0 && c === 0 && d !== 0) return "utf-32be";
  if (a !== 0 && b === 0 && c === 0 && d === 0) return "utf-32le";
  if (a === 0 && b !== 0) return "utf-16be";
  return a !== 0 && b === 0 ? "utf-16le" : undefined;
}
