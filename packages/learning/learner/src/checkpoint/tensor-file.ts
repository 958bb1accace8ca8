/**
 * Stores tensors one after another in one file, which is written and read in pieces, so that no second copy of them is
 * needed in memory.
 */

import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { entry } from "@palimpsest/jit";

/** Node reads or writes at most 2 GiB at once; pieces also let the event loop run in between. */
const pieceBytes = 32 * 1024 * 1024;

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

/** Writes a new file and syncs it. */
export async function writeTensorFile(
  path: string,
  tensors: Readonly<Record<string, Float32Array>>,
): Promise<TensorFile> {
  const hash = createHash("sha256");
  const places: TensorPlace[] = [];
  let offset = 0;
  const file = await open(path, "wx");
  try {
    for (const name of Object.keys(tensors).sort()) {
      const values = entry(tensors, name);
      places.push({ name, offset, count: values.length });
      for (const piece of piecesOf(values)) {
        hash.update(piece);
        await file.writeFile(piece);
      }
      offset += values.byteLength;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sizeBytes: offset, sha256: hash.digest("hex"), tensors: places };
}

/**
 * Reads a file written by `writeTensorFile`.
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
    const hash = createHash("sha256");
    const read: Record<string, Float32Array> = {};
    let position = 0;
    for (const { name, offset, count } of tensors) {
      if (offset !== position) return `has ${name} at byte ${offset} instead of ${position}`;
      const values = new Float32Array(count);
      for (const piece of piecesOf(values)) {
        if (!(await fill(file, piece, position))) return `ends inside tensor ${name}`;
        hash.update(piece);
        position += piece.byteLength;
      }
      read[name] = values;
    }
    if (position !== sizeBytes) return `has ${sizeBytes - position} bytes that belong to no tensor`;
    return hash.digest("hex") === sha256 ? read : "does not have the recorded hash";
  } finally {
    await file.close();
  }
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
