/** The program of a thread of FileHashes: hashes files while they are being written, and answers with the digest. */
import { createHash, type Hash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";

/**
 * The bytes that are hashed at a time. A piece is small enough to still be in the processor's cache when it is hashed.
 */
const pieceBytes = 256 * 1024;

/** One order for one file. */
export interface HashOrder {
  readonly id: number;
  readonly path: string;
  /** The offset up to which the file is hashed. */
  readonly toBytes: number;
  /** "digest" answers with the digest and forgets the file; "forget" only forgets it. */
  readonly end?: "digest" | "forget";
}

export interface HashAnswer {
  readonly id: number;
  readonly sha256?: string;
  readonly error?: string;
}

interface OpenHash {
  readonly file: number;
  readonly hash: Hash;
  atBytes: number;
}

const open = new Map<number, OpenHash>();
const piece = new Uint8Array(pieceBytes);

function carryOut({ id, path, toBytes, end }: HashOrder): HashAnswer | undefined {
  const known = open.get(id);
  if (end === "forget") {
    if (known !== undefined) closeSync(known.file);
    open.delete(id);
    return undefined;
  }
  const hashed = known ?? { file: openSync(path, "r"), hash: createHash("sha256"), atBytes: 0 };
  open.set(id, hashed);
  while (hashed.atBytes < toBytes) {
    const wanted = Math.min(pieceBytes, toBytes - hashed.atBytes);
    const readBytes = readSync(hashed.file, piece, 0, wanted, hashed.atBytes);
    if (readBytes === 0) throw new Error(`the file ends at byte ${hashed.atBytes} of ${toBytes}`);
    hashed.hash.update(piece.subarray(0, readBytes));
    hashed.atBytes += readBytes;
  }
  if (end !== "digest") return undefined;
  closeSync(hashed.file);
  open.delete(id);
  return { id, sha256: hashed.hash.digest("hex") };
}

parentPort?.on("message", (order: HashOrder) => {
  try {
    const answer = carryOut(order);
    if (answer !== undefined) parentPort?.postMessage(answer);
  } catch (reason) {
    carryOut({ ...order, end: "forget" });
    parentPort?.postMessage({ id: order.id, error: String(reason) } satisfies HashAnswer);
  }
});
