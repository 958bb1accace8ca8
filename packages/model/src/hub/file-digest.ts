import { createHash, type Hash } from "node:crypto";

/** What a listing promises about a file's bytes: large files by SHA-256, the others as git names a blob. */
export interface FileDigest {
  readonly kind: "sha256" | "git-blob-sha1";
  readonly hex: string;
}

/** A hash to feed the file's bytes to; its hex is the digest's when they are the right ones. */
export function startDigest(kind: FileDigest["kind"], sizeBytes: number): Hash {
  return kind === "sha256" ? createHash("sha256") : createHash("sha1").update(`blob ${sizeBytes}\0`);
}
