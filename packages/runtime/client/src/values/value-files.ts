/**
 * Responsibility: values in files of the node on the same machine, which are written and read in place.
 * Not responsible for: choosing the file (the node does).
 *
 * Invariants:
 * - FILEVALUE-1. A value is returned only if its file was still the object's after its last byte was read, because a
 *   file that was freed in the meantime may have been written again.
 * - FILEVALUE-2. Arrays of a value are the pages of its file only where the node writes no file again that is locked as
 *   mapped, and only if the file had its name after it was locked.
 */
import { closeSync, openSync, read, readSync, statSync, writevSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { inLanes } from "@palimpsest/std";
import {
  type ArrayToRead,
  decodeStored,
  headBytes,
  type MappableFile,
  mapInto,
  mappedBuffer,
  mappingProblem,
  newMemory,
  openMappable,
  PalimpsestError,
  type ValueDecoding,
} from "@palimpsest/wire";
import { type WrittenMemory, writeMapped } from "./written-files.js";

/** The number of bytes that are read first. Except for its long arrays, most objects end within them. */
const beginBytes = 64 * 1024;
/**
 * What is read first where the arrays are mapped: most values that are mapped are little more than their arrays. It is
 * decoded before another file is read.
 */
const mappedBegin: Uint8Array = new Uint8Array(4 * 1024);
/** The number of bytes that a thread copies at a time. */
const sliceBytes = 8 * 1024 * 1024;
/**
 * The number of threads that copy at the same time. More than two are no faster on two cores. The kernel lets only one
 * thread at a time write to a file, so a second writer gains nothing on an idle machine (100 MB took 31 ms with one and
 * with two), and on a busy machine it gains only a larger share of the processor.
 */
const lanes = 2;
/** Up to this size, bytes are written and read synchronously, because handing them to other threads takes longer. */
const atOnceBytes = 1024 * 1024;

interface Slice {
  readonly bytes: Uint8Array;
  readonly position: number;
}

/**
 * @returns the file as memory, if it was written so
 * @throws {PalimpsestError} OBJECT_STORE_FULL if the file system is full
 */
export async function writeFileValue(
  path: string,
  pieces: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<WrittenMemory | undefined> {
  const sizeBytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  signal?.throwIfAborted();
  try {
    const memory = await writtenInMemory(path, pieces, sizeBytes, signal);
    if (memory !== undefined) return memory;
    if (sizeBytes <= atOnceBytes) writeAtOnce(path, pieces);
    else await writeInLanes(path, pieces, signal);
    return undefined;
  } catch (reason) {
    if (!isNoSpace(reason)) throw reason;
    throw new PalimpsestError(
      "OBJECT_STORE_FULL",
      `the file system of the object store (${path}) has no space left: free some, or give objectStoreDir another folder or objectStoreBytes a smaller bound`,
      { cause: reason },
    );
  }
}

async function writtenInMemory(
  path: string,
  pieces: readonly Uint8Array[],
  sizeBytes: number,
  signal: AbortSignal | undefined,
): Promise<WrittenMemory | undefined> {
  if (mappingProblem() !== "") return undefined;
  const descriptor = openSync(path, "r+");
  try {
    return await writeMapped(descriptor, pieces, sizeBytes, signal);
  } finally {
    closeSync(descriptor);
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

/** How a value is read from its file. */
export interface FileReading {
  readonly bind: ValueDecoding["bind"];
  /** The memory of an array that has exactly its length. */
  readonly into?: ArrayBuffer | undefined;
  /** Whether its arrays get memory that threads may share. */
  readonly isShared?: boolean;
  /** Whether the file may be mapped: it is not written again as long as it is (FILEVALUE-2). */
  readonly isMappable: boolean;
}

/**
 * Reads a value from its file. Returns undefined if the file is no longer the object's (FILEVALUE-1), whatever was read
 * from it.
 * @throws {PalimpsestError} CODEC if the content of the object's own file is invalid
 */
export async function readFileValue(
  path: string,
  sizeBytes: number,
  reading: FileReading,
): Promise<{ readonly value: unknown } | undefined> {
  if (reading.isMappable) {
    const mapped = openMappable(path);
    // In shared memory a file is open, and its beginning read, before another thread would have taken over.
    if (mapped !== undefined) return await readMapped(mapped, path, sizeBytes, reading);
  }
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size, ino } = await file.stat();
    if (size !== sizeBytes) return undefined;
    const isStill = async () => (await stat(path).catch(() => undefined))?.ino === ino;
    try {
      return await readOpen(file.fd, sizeBytes, reading, isStill);
    } catch (reason) {
      // Another value is being written to it, or it was truncated, so its bytes do not belong to this value.
      if (!(await isStill())) return undefined;
      throw reason;
    }
  } finally {
    await file.close();
  }
}

async function readMapped(file: MappableFile, path: string, sizeBytes: number, reading: FileReading) {
  const { descriptor } = file;
  const { isShared = false } = reading;
  try {
    if (!isStillThere(file, path, sizeBytes)) return undefined;
    let begin = mappedBegin.subarray(0, Math.min(sizeBytes, mappedBegin.byteLength));
    fillAtOnce(descriptor, begin, 0);
    const needed = Math.min(sizeBytes, headBytes(begin));
    if (needed > atOnceBytes) begin = await readExactly(descriptor, 0, needed);
    else if (needed > begin.byteLength) begin = readAtOnce(descriptor, needed);
    const given = givenOnce(reading.into);
    const memory = newMemory(isShared);
    const { value, arrays } = decodeStored(begin, sizeBytes, reading.bind, (lengthBytes, ...place) => {
      const [offsetBytes, isView] = place;
      const into = given(lengthBytes);
      const buffer = mappedBuffer([{ file, offsetBytes, lengthBytes }], {
        into,
        isShared: isShared && isView,
      });
      if (buffer !== undefined) return { buffer, isFilled: true };
      return into ? { buffer: into, isFilled: false } : memory(lengthBytes, ...place);
    });
    const leftBytes = arrays.reduce((sum, { target }) => sum + target.byteLength, 0);
    if (leftBytes > atOnceBytes) await readArrays(descriptor, arrays);
    else for (const { target, offsetBytes } of arrays) fillAtOnce(descriptor, target, offsetBytes);
    return { value };
  } finally {
    closeSync(descriptor);
  }
}

/** Returns whether a file has that name after it was locked, so that it is not written before the lock ends (FILEVALUE-2). */
function isStillThere(file: MappableFile, path: string, sizeBytes: number): boolean {
  return file.sizeBytes === sizeBytes && statSync(path, { throwIfNoEntry: false })?.ino === file.inode;
}

/** Returns the given memory for the first array that has exactly its length. */
function givenOnce(into: ArrayBuffer | undefined): (lengthBytes: number) => ArrayBuffer | undefined {
  let unused = into;
  return (lengthBytes) => {
    if (unused?.byteLength !== lengthBytes) return undefined;
    const buffer = unused;
    unused = undefined;
    return buffer;
  };
}

async function readOpen(
  descriptor: number,
  sizeBytes: number,
  reading: FileReading,
  isStill: () => Promise<boolean>,
) {
  let begin = await readExactly(descriptor, 0, Math.min(sizeBytes, beginBytes));
  const needed = Math.min(sizeBytes, headBytes(begin));
  if (needed > begin.byteLength) begin = await readExactly(descriptor, 0, needed);
  // The file is checked before the bytes are decoded, and again when all are read.
  if (!(await isStill())) return undefined;
  const given = givenOnce(reading.into);
  const memory = newMemory(reading.isShared ?? false);
  const { value, arrays } = decodeStored(begin, sizeBytes, reading.bind, (lengthBytes, ...place) => {
    const buffer = given(lengthBytes);
    return buffer ? { buffer, isFilled: false } : memory(lengthBytes, ...place);
  });
  await readArrays(descriptor, arrays);
  return arrays.length === 0 || (await isStill()) ? { value } : undefined;
}

/**
 * Fills the targets, one after another, with the bytes of an object's file.
 * @returns false if there is no such file, or it is no longer the object's (FILEVALUE-1)
 */
export async function readFileInto(
  path: string,
  targets: readonly Uint8Array[],
  isMappable = false,
): Promise<boolean> {
  if (isMappable && mapTargets(path, targets)) return true;
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
    await inLanes(slices, { lanes }, (slice) => fill(file.fd, slice.bytes, slice.position));
    return (await stat(path).catch(() => undefined))?.ino === before.ino;
  } finally {
    await file.close();
  }
}

/** Makes the file's pages those of the targets, if they are one piece of memory that allows it. */
function mapTargets(path: string, targets: readonly Uint8Array[]): boolean {
  const [first] = targets;
  if (first === undefined || !(first.buffer instanceof ArrayBuffer)) return false;
  let end = first.byteOffset;
  for (const { buffer, byteOffset, byteLength } of targets) {
    if (buffer !== first.buffer || byteOffset !== end) return false;
    end += byteLength;
  }
  const file = openMappable(path);
  if (file === undefined) return false;
  try {
    const lengthBytes = end - first.byteOffset;
    if (!isStillThere(file, path, lengthBytes)) return false;
    return mapInto(first.buffer, first.byteOffset, { file, offsetBytes: 0, lengthBytes });
  } finally {
    closeSync(file.descriptor);
  }
}

async function readArrays(descriptor: number, arrays: readonly ArrayToRead[]): Promise<void> {
  const slices = arrays.flatMap(({ target, offsetBytes }) => [...slicesOf(target, offsetBytes)]);
  await inLanes(slices, { lanes }, ({ bytes, position }) => fill(descriptor, bytes, position));
}

async function readExactly(descriptor: number, position: number, lengthBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(lengthBytes);
  const slices = [...slicesOf(bytes, position)];
  await inLanes(slices, { lanes }, (slice) => fill(descriptor, slice.bytes, slice.position));
  return bytes;
}

const readBytes = promisify(read);

async function fill(descriptor: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesRead } = await readBytes(descriptor, bytes, done, bytes.byteLength - done, position + done);
    if (bytesRead === 0) throw tooShort();
    done += bytesRead;
  }
}

function fillAtOnce(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.byteLength; ) {
    const bytesRead = readSync(descriptor, bytes, done, bytes.byteLength - done, position + done);
    if (bytesRead === 0) throw tooShort();
    done += bytesRead;
  }
}

function readAtOnce(descriptor: number, lengthBytes: number): Uint8Array {
  const bytes = new Uint8Array(lengthBytes);
  fillAtOnce(descriptor, bytes, 0);
  return bytes;
}

function tooShort(): PalimpsestError {
  return new PalimpsestError("CODEC", "the object's file is shorter than its value");
}

function* slicesOf(bytes: Uint8Array, position: number): Generator<Slice> {
  for (let at = 0; at < bytes.byteLength; at += sliceBytes)
    yield { bytes: bytes.subarray(at, at + sliceBytes), position: position + at };
}

function isNoSpace(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "ENOSPC";
}
