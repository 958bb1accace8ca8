import { createHash } from "node:crypto";

/**
 * Returns the first 53 bits of a SHA-256, as many as a number represents exactly. Among a million ids two have the same
 * key in one of 20,000 files.
 */
export const keyOfHash = (sha256: string): number => Number(BigInt(`0x${sha256.slice(0, 16)}`) >> 11n);

/** Returns the key that stands for a task's id where ids are not kept, because they could be long. */
export const idKey = (id: string): number => keyOfHash(createHash("sha256").update(id).digest("hex"));
