import { createHash } from "node:crypto";

/** As many bits of a SHA-256 as a number holds exactly; of a million ids two share them once in 20,000 files. */
export const keyOfHash = (sha256: string): number => Number(BigInt(`0x${sha256.slice(0, 16)}`) >> 11n);

/** What a task's id is known by where ids are not kept, because they could be long. */
export const idKey = (id: string): number => keyOfHash(createHash("sha256").update(id).digest("hex"));
