import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { reasonText } from "@palimpsest/std/input";
import { DatasetError } from "../error.js";

export interface HashedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** The SHA-256 in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Returns a file's size and hash.
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function hashFile(path: string, signal?: AbortSignal): Promise<HashedFile> {
  const hash = createHash("sha256");
  try {
    const { size } = await stat(path);
    for await (const bytes of createReadStream(path, signal ? { signal } : {})) hash.update(bytes as Buffer);
    return { path, sizeBytes: size, sha256: hash.digest("hex") };
  } catch (error) {
    signal?.throwIfAborted();
    throw new DatasetError(
      "UNREADABLE_FILE",
      `input: cannot read "${path}" (${reasonText(error)}); give a file that exists`,
      { path },
      error,
    );
  }
}
