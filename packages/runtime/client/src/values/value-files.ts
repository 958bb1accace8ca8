/**
 * Responsibility: values in files of the node on the same machine, which are written and read in place.
 * Not responsible for: choosing the file (the node does).
 *
 * Invariants:
 * - FILEVALUE-1. A value is returned only if its file was still the object's after its last byte was read, because a
 *   file that was freed in the meantime may have been written again.
 */
import { closeSync, openSync, writevSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { inLanes } from "@palimpsest/std";
import {
  type ArrayToRead,
  decodeStored,
  headBytes,
  PalimpsestError,
  type ValueDecoding,
} from "@palimpsest/wire";

/** The number of bytes that are read first. Except for its long arrays, most objects end within them. */
const beginBytes = 64 * 1024;
/** The number of bytes that a thread copies at a time. */
const sliceBytes = 8 * 1024 * 1024;
/**
 * The number of threads that copy at the same time. More than two are no faster on two cores. The kernel lets only one
 * thread at a time write to a file, so a second writer gains nothing on an idle machine (100 MB took 31 ms with one and
 * with two), and on a busy machine it gains only a larger share of the processor.
 */
const lanes = 2;
/** A value up to this size is written synchronously, because handing it to other threads takes longer. */
const writtenAtOnceBytes = 1024 * 1024;

interface Slice {
  readonly bytes: Uint8Array;
  readonly position: number;
}

/** @throws {PalimpsestError} OBJECT_STORE_FULL if the file system is full */
export async function writeFileValue(
  path: string,
  pieces: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<void> {
  const sizeBytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  signal?.throwIfAborted();
  try {
    if (sizeBytes <= writtenAtOnceBytes) writeAtOnce(path, pieces);
    else await writeInLanes(path, pieces, signal);
  } catch (reason) {
    if (!isNoSpace(reason)) throw reason;
    throw new PalimpsestError(
      "OBJECT_STORE_FULL",
      `the file system of the object store (${path}) has no space left: free some, or give objectStoreDir another folder or objectStoreBytes a smaller bound`,
      { cause: reason },
    );
  }
}

async function writeInLanes(
  path: string,
  pieces: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<void> {
  // The node has created the file, with its permissions.
  const file = await open(path, "r+");
  try {
    let position = 0;
    const slices: Slice[] = [];
    for (const piece of pieces) {
      slices.push(...slicesOf(piece, position));
      position += piece.byteLength;
    }
    await inLanes(slices, { lanes, signal }, async ({ bytes, position: at }, within) => {
      for (let done = 0; done < bytes.byteLength; ) {
        within.throwIfAborted();
        done += (await file.write(bytes, done, bytes.byteLength - done, at + done)).bytesWritten;
      }
    });
  } finally {
    await file.close();
  }
}

function writeAtOnce(path: string, pieces: readonly Uint8Array[]): void {
  const descriptor = openSync(path, "r+");
  try {
    let left = [...pieces];
    for (let position = 0; left.length > 0; ) {
      const written = writevSync(descriptor, left, position);
      position += written;
      left = afterBytes(left, written);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the rest of the pieces after their first bytes. */
function afterBytes(pieces: readonly Uint8Array[], count: number): Uint8Array[] {
  let skipped = count;
  return pieces.flatMap((piece) => {
    const taken = Math.min(skipped, piece.byteLength);
    skipped -= taken;
    return taken === piece.byteLength ? [] : [piece.subarray(taken)];
  });
}

/**
 * Reads a value from its file. Returns undefined if the file is no longer the object's (FILEVALUE-1), whatever was read
 * from it.
 * @throws {PalimpsestError} CODEC if the content of the object's own file is invalid
 */
export async function readFileValue(
  path: string,
  sizeBytes: number,
  bind: ValueDecoding["bind"],
  into: ArrayBuffer | undefined,
): Promise<{ readonly value: unknown } | undefined> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size, ino } = await file.stat();
    if (size !== sizeBytes) return undefined;
    const isStill = async () => (await stat(path).catch(() => undefined))?.ino === ino;
    try {
      return await readOpen(file, sizeBytes, { isStill, bind, into });
    } catch (reason) {
      // Another value is being written to it, or it was truncated, so its bytes do not belong to this value.
      if (!(await isStill())) return undefined;
      throw reason;
    }
  } finally {
    await file.close();
  }
}

interface Reading {
  readonly isStill: () => Promise<boolean>;
  readonly bind: ValueDecoding["bind"];
  readonly into: ArrayBuffer | undefined;
}

async function readOpen(file: FileHandle, sizeBytes: number, { isStill, bind, into }: Reading) {
  let begin = await readExactly(file, 0, Math.min(sizeBytes, beginBytes));
  const needed = Math.min(sizeBytes, headBytes(begin));
  if (needed > begin.byteLength) begin = await readExactly(file, 0, needed);
  // The file is checked before the bytes are decoded, and again when all are read.
  if (!(await isStill())) return undefined;
  let unused = into;
  const bufferOf = (lengthBytes: number) => {
    if (unused?.byteLength !== lengthBytes) return new ArrayBuffer(lengthBytes);
    const buffer = unused;
    unused = undefined;
    return buffer;
  };
  const { value, arrays } = decodeStored(begin, sizeBytes, bind, bufferOf);
  await readArrays(file, arrays);
  return arrays.length === 0 || (await isStill()) ? { value } : undefined;
}

/**
 * Fills the targets, one after another, with the bytes of an object's file.
 * @returns false if there is no such file, or it is no longer the object's (FILEVALUE-1)
 */
export async function readFileInto(path: string, targets: readonly Uint8Array[]): Promise<boolean> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return false;
  try {
    const before = await file.stat();
    let position = 0;
    const slices: Slice[] = [];
    for (const target of targets) {
      slices.push(...slicesOf(target, position));
      position += target.byteLength;
    }
    if (before.size !== position) return false;
    await inLanes(slices, { lanes }, (slice) => fill(file, slice.bytes, slice.position));
    return (await stat(path).catch(() => undefined))?.ino === before.ino;
  } finally {
    await file.close();
  }
}

async function readArrays(file: FileHandle, arrays: readonly ArrayToRead[]): Promise<void> {
  const slices = arrays.flatMap(({ target, offsetBytes }) => [...slicesOf(target, offsetBytes)]);
  await inLanes(slices, { lanes }, ({ bytes, position }) => fill(file, bytes, position));
}

async function readExactly(file: FileHandle, position: number, lengthBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(lengthBytes);
  const slices = [...slicesOf(bytes, position)];
  await inLanes(slices, { lanes }, (slice) => fill(file, slice.bytes, slice.position));
  return bytes;
}

async function fill(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesRead } = await file.read(bytes, done, bytes.byteLength - done, position + done);
    if (bytesRead === 0) throw new PalimpsestError("CODEC", "the object's file is shorter than its value");
    done += bytesRead;
  }
}

function* slicesOf(bytes: Uint8Array, position: number): Generator<Slice> {
  for (let at = 0; at < bytes.byteLength; at += sliceBytes)
    yield { bytes: bytes.subarray(at, at + sliceBytes), position: position + at };
}

function isNoSpace(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "ENOSPC";
}
