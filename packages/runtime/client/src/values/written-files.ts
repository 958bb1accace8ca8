/**
 * Responsibility: mappings of the node's files that this program has written, kept for the next value: the node hands the
 * files of freed values out again, and writing to memory that is mapped already is twice as fast as to a file.
 * Not responsible for: files, and when they may be written (the node).
 *
 * Invariants:
 * - WRITTEN-1. A file is written as memory only if all of its pages are allocated, because there would be no error where the
 *   file system has no room for one. Other files are written by calls, and so is each file the first time.
 * - WRITTEN-2. Mappings are kept up to an eighth of the file system and `keepMs` after their last use: until then the pages
 *   of a file that the node has removed stay allocated.
 */
import { fstatSync, type Stats } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PalimpsestError, type WritableMapping, writableMapping } from "@palimpsest/wire";

const keepMs = 10_000;
const maxKept = 64;
/** The number of bytes, of one value or many, that are written before others get their turn of the event loop. */
const turnBytes = 4 * 1024 * 1024;
/** The number of bytes that a thread copies at a time, which nothing can abort. */
const threadBytes = 32 * 1024 * 1024;
/** Fewer are copied sooner than a thread begins. */
const leastThreadBytes = 1024 * 1024;
/** The bytes of a block in `stat`. */
const blockBytes = 512;

interface Kept {
  readonly mapping: WritableMapping;
  usedAtMs: number;
  writers: number;
}

/** The mappings by device and inode, the least recently used first. No other file gets an inode that is mapped. */
const kept = new Map<string, Kept>();
/** The bytes that were written since this module last gave others their turn. */
let bytesOfTurn = 0;
let sweep: NodeJS.Timeout | undefined;

/** What was written to a file as memory. It is kept, whatever the node does with the file, until done(). */
export interface WrittenMemory {
  bytes(): Uint8Array;
  done(): void;
}

/**
 * Writes the pieces, one after another, as the content of an open file, through memory.
 * @returns undefined if the file has to be written by calls (WRITTEN-1)
 * @throws {PalimpsestError} INVALID_ARGUMENT if an array was transferred meanwhile
 */
export async function writeMapped(
  descriptor: number,
  pieces: readonly Uint8Array[],
  sizeBytes: number,
  signal?: AbortSignal,
): Promise<WrittenMemory | undefined> {
  const stats = fstatSync(descriptor);
  if (sizeBytes === 0 || stats.size !== sizeBytes || stats.blocks * blockBytes < sizeBytes) return undefined;
  // Threads enter the pages that they write.
  const isReady = !pieces.some(isForThreads);
  const file = mappingOf(descriptor, stats, isReady);
  if (file === undefined) return undefined;
  const { mapping } = file;
  file.writers++;
  const done = () => {
    file.writers--;
    shrink(mapping.fileSystemBytes / 8);
  };
  try {
    let position = 0;
    for (const piece of pieces) {
      const { byteLength } = piece;
      if (isForThreads(piece)) {
        await writeInThreads(mapping, piece, position, signal);
        position += byteLength;
        continue;
      }
      for (let at = 0; at < byteLength; at += turnBytes) {
        if (bytesOfTurn >= turnBytes) {
          bytesOfTurn = 0;
          await nextTurn();
        }
        bytesOfTurn += Math.min(turnBytes, byteLength - at);
        signal?.throwIfAborted();
        if (piece.byteLength !== byteLength)
          throw new PalimpsestError(
            "INVALID_ARGUMENT",
            "an array of the value was transferred while the value was stored: wait for put before you transfer it",
          );
        mapping.write(piece.subarray(at, at + turnBytes), position + at);
      }
      position += byteLength;
    }
    return { bytes: () => mapping.read(sizeBytes), done };
  } catch (reason) {
    done();
    throw reason;
  }
}

/** Shared memory cannot be transferred, so that threads can copy it while this one does something else. */
function isForThreads({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength >= leastThreadBytes && buffer instanceof SharedArrayBuffer;
}

async function writeInThreads(
  mapping: WritableMapping,
  piece: Uint8Array,
  position: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let at = 0; at < piece.byteLength; at += threadBytes) {
    signal?.throwIfAborted();
    await mapping.writeInThread(piece.subarray(at, at + threadBytes), position + at);
  }
}

function mappingOf(descriptor: number, { dev, ino, size }: Stats, isReady: boolean): Kept | undefined {
  const name = `${dev}:${ino}`;
  const known = kept.get(name);
  let file = known;
  if (known === undefined || known.mapping.sizeBytes < size) {
    // It grew while a value that nobody waits for any more is still written to it.
    if (known !== undefined && known.writers > 0) return undefined;
    known?.mapping.close();
    kept.delete(name);
    const mapping = writableMapping(descriptor, size, { isReady });
    file = mapping && { mapping, usedAtMs: 0, writers: 0 };
  }
  if (file === undefined) return undefined;
  file.usedAtMs = performance.now();
  kept.delete(name);
  kept.set(name, file);
  return file;
}

/** WRITTEN-2 */
function shrink(maxBytes: number): void {
  let bytes = 0;
  for (const { mapping } of kept.values()) bytes += mapping.sizeBytes;
  for (const [name, { mapping, writers }] of kept) {
    if (bytes <= maxBytes && kept.size <= maxKept) break;
    if (writers > 0) continue;
    bytes -= mapping.sizeBytes;
    mapping.close();
    kept.delete(name);
  }
  // What is used now is looked at again when it was not used for that long.
  clearInterval(sweep);
  closeUnused();
  sweep = setInterval(closeUnused, keepMs).unref();
}

function closeUnused(): void {
  const beforeMs = performance.now() - keepMs;
  for (const [name, { mapping, usedAtMs, writers }] of kept) {
    if (usedAtMs > beforeMs || writers > 0) continue;
    mapping.close();
    kept.delete(name);
  }
  if (kept.size > 0) return;
  clearInterval(sweep);
  sweep = undefined;
}
