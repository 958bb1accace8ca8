import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";

export interface FileFingerprint {
  readonly sizeBytes: number;
  /** Of the size and the parts that are read. */
  readonly sha256: string;
}

const partBytes = 1024 * 1024;
/** Files of up to so many parts are read whole; of a larger one so many parts, evenly apart, with its first and its last. */
const maxParts = 128;

/**
 * What a file is known by. One of up to 128 MiB is hashed whole. Of a larger one 128 parts of 1 MiB are, evenly apart, and its size: a
 * start takes no longer for a file of 4 GB, and a change of a few bytes within such a file may go unseen.
 */
export async function fileFingerprint(path: string, signal?: AbortSignal): Promise<FileFingerprint> {
  const { size: sizeBytes } = await stat(path);
  const hash = createHash("sha256").update(`${sizeBytes}\n`);
  const buffer = Buffer.allocUnsafe(partBytes);
  const parts = Math.min(maxParts, Math.ceil(sizeBytes / partBytes));
  const apart = parts === maxParts ? (sizeBytes - partBytes) / (maxParts - 1) : partBytes;
  const file = await open(path, "r");
  try {
    for (let part = 0; part < parts; part++) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, partBytes, Math.floor(part * apart));
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}
