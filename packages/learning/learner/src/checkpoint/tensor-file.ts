/**
 * Stores tensors one after another in one file, which is written and read in pieces, so that no second copy of them is
 * needed in memory.
 */

import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { entry } from "@palimpsest/jit";
import { inLanes } from "@palimpsest/std";

/** Node reads or writes at most 2 GiB at once; pieces also let the event loop run in between. */
const pieceBytes = 32 * 1024 * 1024;
/** Pieces in flight. The kernel lets one thread at a time write to a file; the others wait for it with theirs hashed. */
const writesAtOnce = 3;
/** After this many bytes more the disk is told to take them. */
const syncedBytes = 512 * 1024 * 1024;

interface TensorPlace {
  readonly name: string;
  /** Bytes from the beginning of the file. */
  readonly offset: number;
  /** Float32 elements. */
  readonly count: number;
}

export interface TensorFile {
  readonly sizeBytes: number;
  /** SHA-256 in hex of the whole file. */
  readonly sha256: string;
  /** In the order of the file, sorted by name. */
  readonly tensors: TensorPlace[];
}

/** Writes a new file and syncs it: while some of it is written, the next is hashed, and what is written goes to the disk meanwhile. */
export async function writeTensorFile(
  path: string,
  tensors: Readonly<Record<string, Float32Array>>,
): Promise<TensorFile> {
  const hash = createHash("sha256");
  const places: TensorPlace[] = [];
  let offset = 0;
  function* hashed(): Generator<{ readonly piece: Uint8Array; readonly position: number }> {
    for (const name of Object.keys(tensors).sort()) {
      const values = entry(tensors, name);
      places.push({ name, offset, count: values.length });
      for (const piece of piecesOf(values)) {
        hash.update(piece);
        yield { piece, position: offset };
        offset += piece.byteLength;
      }
    }
  }
  const file = await open(path, "wx");
  try {
    let unsyncedBytes = 0;
    let syncing = Promise.resolve();
    await inLanes(hashed(), { lanes: writesAtOnce }, async ({ piece, position }) => {
      await write(file, piece, position);
      unsyncedBytes += piece.byteLength;
      if (unsyncedBytes < syncedBytes) return;
      unsyncedBytes = 0;
      // Not waited for here; a lane is not taken by it, and its failure is thrown in the end.
      syncing = Promise.all([syncing, file.datasync()]).then(() => undefined);
      syncing.catch(() => undefined);
    });
    await syncing;
    await file.sync();
  } finally {
    await file.close();
  }
  return { sizeBytes: offset, sha256: hash.digest("hex"), tensors: places };
}

/**
 * Reads a file written by `writeTensorFile`: while some of it is hashed, the next is read.
 * @returns the tensors, or a description of what is wrong with the file
 */
export async function readTensorFile(
  path: string,
  { sizeBytes, sha256, tensors }: TensorFile,
): Promise<Record<string, Float32Array> | string> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size !== sizeBytes) return `has ${size} bytes instead of ${sizeBytes}`;
    let position = 0;
    for (const { name, offset, count } of tensors) {
      if (offset !== position) return `has ${name} at byte ${offset} instead of ${position}`;
      position += count * Float32Array.BYTES_PER_ELEMENT;
      if (position > sizeBytes) return `ends inside tensor ${name}`;
    }
    if (position !== sizeBytes) return `has ${sizeBytes - position} bytes that belong to no tensor`;
    const hash = createHash("sha256");
    const read: Record<string, Float32Array> = {};
    let before: Uint8Array = new Uint8Array();
    for (const { name, offset, count } of tensors) {
      const values = new Float32Array(count);
      let at = offset;
      for (const piece of piecesOf(values)) {
        const filled = fill(file, piece, at);
        hash.update(before);
        if (!(await filled)) return `ends inside tensor ${name}`;
        before = piece;
        at += piece.byteLength;
      }
      read[name] = values;
    }
    hash.update(before);
    return hash.digest("hex") === sha256 ? read : "does not have the recorded hash";
  } finally {
    await file.close();
  }
}

async function write(file: FileHandle, piece: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < piece.byteLength; )
    done += (await file.write(piece, done, piece.byteLength - done, position + done)).bytesWritten;
}

async function fill(file: FileHandle, piece: Uint8Array, position: number): Promise<boolean> {
  for (let filled = 0; filled < piece.byteLength; ) {
    const { bytesRead } = await file.read(piece, filled, piece.byteLength - filled, position + filled);
    if (bytesRead === 0) return false;
    filled += bytesRead;
  }
  return true;
}

/** Yields the values' memory as bytes, piece by piece, without copying. */
function* piecesOf(values: Float32Array): Generator<Uint8Array> {
  for (let at = 0; at < values.byteLength; at += pieceBytes)
    yield new Uint8Array(values.buffer, values.byteOffset + at, Math.min(pieceBytes, values.byteLength - at));
}
