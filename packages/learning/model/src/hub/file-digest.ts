import { createHash, type Hash } from "node:crypto";

/** The digest of a file's bytes in a listing: SHA-256 for large files, and git's blob hash for the others. */
export interface FileDigest {
  readonly kind: "sha256" | "git-blob-sha1";
  readonly hex: string;
}

/** Returns a hash that takes the file's bytes. Its hexadecimal value is that of the digest if the bytes are right. */
export function startDigest(kind: FileDigest["kind"], sizeBytes: number): Hash {
  return kind === "sha256" ? createHash("sha256") : createHash("sha1").update(`blob ${sizeBytes}\0`);
}
