/**
 * Responsibility: files in shared memory as memory of this process: buffers whose pages are those of a file, and the locks
 * that say that a file is mapped.
 * Not responsible for: which files there are, and when one may be written again (the node's object-segments.ts); writing them
 * (writable-mapping.ts).
 *
 * A buffer is memory that V8 allocated, of which whole pages are then replaced by a file's (mmap with MAP_FIXED). V8 frees
 * it like any other, when neither this thread, nor one that it was transferred to, nor native code has it any more. The
 * C library gives large blocks pages of their own, which it returns to the kernel as a whole, unless freed memory is there
 * to be used again; into a block without them the bytes are copied. On
 * other systems than Linux with glibc and pages of 4 KiB nothing is mapped.
 *
 * Invariants:
 * - MAPPED-1. No memory that JavaScript can reach is ever unmapped here.
 * - MAPPED-2. What a reader writes into a buffer changes neither the file nor another buffer (MAP_PRIVATE).
 * - MAPPED-3. A file is locked as long as any process has pages of it in a buffer. The shared lock belongs to the opened
 *   file, which the kernel keeps until its last page is unmapped, also when the process is killed.
 * - MAPPED-4. Only pages that the file has are mapped, so that no access can fail. The file must not be truncated while it
 *   is locked.
 * - MAPPED-5. Files of at most half of the file system's bytes are mapped by one process at a time, in at most `maxBuffers`
 *   buffers: a file that is mapped again takes no more of the file system. A thread counts what it maps, and asks the kernel what is left of it when the count has reached a bound. A finalizer for
 *   each buffer would keep it until V8 has collected the whole heap, while most buffers die young.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  type Library,
  library,
  libraryProblem,
  lock,
  malloc,
  map,
  pageBytes,
  protection,
} from "./c-library.js";

/** Where memory begins that the C library has mapped for one block: after the header of the block. */
export const blockOffsetBytes = 16;
/** Where the second page of such a block begins, into whose whole pages files from their beginning can be mapped. */
export const pageBeginBytes = pageBytes - blockOffsetBytes;
/** Shorter arrays are copied, which is faster. */
export const leastMappedBytes = 256 * 1024;
/** From this size on, glibc gives every block its own pages. */
const ownPagesBytes = 32 * 1024 * 1024;
/** From this size on, copying takes longer than another try to get a block with its own pages. */
const triedTwiceBytes = 8 * 1024 * 1024;
/** V8 begins to collect garbage when a buffer of more than 64 MiB is created. */
const collectingBytes = 2 * 64 * 1024 * 1024;
/** Each takes two or three of the 65,530 mappings that Linux lets a process have. */
const maxBuffers = 4_096;

/** The flag in the size of a block that has its own pages. */
const ownPagesFlag = 2n;

/** A file that is open and locked as one that is mapped (MAPPED-3). */
export interface MappableFile {
  readonly descriptor: number;
  readonly sizeBytes: number;
  readonly inode: number;
  readonly device: number;
}

/** A part of a file as the source of a part of a buffer. */
export interface MappedPart {
  readonly file: MappableFile;
  /** Where the part begins in the file. */
  readonly offsetBytes: number;
  readonly lengthBytes: number;
}

export interface MappingOptions {
  readonly beginBytes?: number;
  readonly into?: ArrayBuffer | undefined;
  readonly isShared?: boolean;
}

/**
 * Says why this process cannot map files, so that large values are copied; empty if it can.
 * @param folder is tried if it is given
 */
export function mappingProblem(folder?: string): string {
  const problem = libraryProblem();
  if (problem !== "" || folder === undefined || canMapIn(folder)) return problem;
  return existsSync(folder) ? `files of ${folder} cannot be mapped and locked` : `there is no ${folder}`;
}

/** What a class that extends it gives its fields to. */
function given(it: object): object {
  return it;
}
const Given = given as unknown as new (it: object) => object;

/** Marks buffers that have pages of files, with a field that nobody else sees and that costs garbage collection nothing. */
class Mark extends Given {
  #isMapped = true;

  static has(buffer: object): boolean {
    return #isMapped in buffer && buffer.#isMapped;
  }

  static set(buffer: object, isMapped: boolean): void {
    if (#isMapped in buffer) buffer.#isMapped = isMapped;
    else new Mark(buffer);
  }
}

/** The file system of files that were mapped, and what of it is mapped at most. */
interface FileSystem {
  readonly sizeBytes: number;
  /** The longest mapping of each file, by its inode. */
  readonly mapped: Map<number, number>;
  buffers: number;
  /** Those in shared memory since V8 was last made to collect garbage. */
  sharedBytes: number;
  sharedBuffers: number;
  /** When the kernel was last asked. */
  askedAtMs: number;
}

/** By their devices. */
const fileSystems = new Map<number, FileSystem>();
/** A kernel that says that too much is mapped is asked again after this time at the earliest. */
const askAgainMs = 100;

/** The bytes of files that are pages of buffers of this process, of those file systems that it has mapped files of. */
export function mappedBytes(): number {
  let bytes = 0;
  for (const [device, fileSystem] of fileSystems) {
    ask(device, fileSystem);
    bytes += mappedOf(fileSystem);
  }
  return bytes;
}

function mappedOf({ mapped }: FileSystem): number {
  let bytes = 0;
  for (const lengthBytes of mapped.values()) bytes += lengthBytes;
  return bytes;
}

function noteMapped({ mapped }: FileSystem, inode: number, lengthBytes: number): void {
  mapped.set(inode, Math.max(lengthBytes, mapped.get(inode) ?? 0));
}

/** Counts the private mappings of files of the device. */
function ask(device: number, fileSystem: FileSystem): void {
  fileSystem.askedAtMs = performance.now();
  const hex = (number: number) => number.toString(16).padStart(2, "0");
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  const line = new RegExp(`^([0-9a-f]+)-([0-9a-f]+) rw-p [0-9a-f]+ ${hex(major)}:${hex(minor)} (\\d+)`, "gm");
  fileSystem.mapped.clear();
  fileSystem.buffers = 0;
  for (const [, begin, end, inode] of readFileSync("/proc/self/maps", "utf8").matchAll(line)) {
    const lengthBytes = Number.parseInt(end ?? "", 16) - Number.parseInt(begin ?? "", 16);
    noteMapped(fileSystem, Number(inode), lengthBytes);
    fileSystem.buffers++;
  }
}

/** Opens a file to be mapped; undefined if there is none, or it cannot be locked. Close its descriptor. */
export function openMappable(path: string): MappableFile | undefined {
  const c = library();
  if (c === undefined) return undefined;
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return undefined;
  }
  if (c.flock(descriptor, lock.shared | lock.atOnce) === 0) {
    const { size, ino, dev } = fstatSync(descriptor);
    return { descriptor, sizeBytes: size, inode: ino, device: dev };
  }
  closeSync(descriptor);
  return undefined;
}

/**
 * Returns whether no process has pages of the file in a buffer, as far as this process can tell. No other process may be
 * able to open it by a name that it knows.
 */
export function isUnmapped(path: string): boolean {
  const c = library();
  if (c === undefined) return false;
  const descriptor = openSync(path, "r");
  try {
    return c.flock(descriptor, lock.exclusive | lock.atOnce) === 0;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns a buffer that has the bytes of the parts, one after another, from the byte `beginBytes` on. The pages of the
 * files are its memory where a part begins at the same place within a page as in the file; other bytes are copied.
 * @param options.beginBytes is 0, the default, for files whose bytes begin at blockOffsetBytes within a page
 * @param options.into a buffer of exactly the length that becomes the result. Default: a new one, for which V8 collects
 *   garbage as for any memory
 * @param options.isShared whether the new one is a SharedArrayBuffer, which V8 does not count as memory
 * @returns undefined if too much is mapped already, or the memory cannot be had or is not of the kind that is needed
 */
export function mappedBuffer(
  parts: readonly MappedPart[],
  { beginBytes = 0, into, isShared = false }: MappingOptions = {},
): ArrayBufferLike | undefined {
  const c = library();
  const [first] = parts;
  if (c === undefined || first === undefined) return undefined;
  const lengthBytes = parts.reduce((sum, part) => sum + part.lengthBytes, beginBytes);
  if (lengthBytes < leastMappedBytes || (into !== undefined && into.byteLength !== lengthBytes))
    return undefined;
  if (!(into && Mark.has(into)) && !hasRoom(lengthBytes, first.file)) return undefined;
  const buffer = into ?? blockOf(c, lengthBytes, isShared);
  if (!isEntered(c, buffer, first.file)) return undefined;
  let at = beginBytes;
  for (const part of parts) {
    place(c, buffer, at, part);
    at += part.lengthBytes;
  }
  return buffer;
}

/**
 * Makes a file's pages those of a part of a buffer that begins at `at`, and copies what are no whole pages.
 * @returns false, having changed nothing, if the part begins at another place within a page than in the file, too much is
 *   mapped already, or the memory is not of the kind that is needed
 */
export function mapInto(buffer: ArrayBuffer, at: number, part: MappedPart): boolean {
  const c = library();
  if (c === undefined || part.lengthBytes < leastMappedBytes) return false;
  if ((blockOffsetBytes + at - part.offsetBytes) % pageBytes !== 0) return false;
  if (!Mark.has(buffer) && !hasRoom(buffer.byteLength, part.file)) return false;
  if (!isEntered(c, buffer, part.file)) return false;
  place(c, buffer, at, part);
  return true;
}

/** MAPPED-5 */
function hasRoom(lengthBytes: number, file: MappableFile): boolean {
  const fileSystem = fileSystemOf(file.device, file.descriptor);
  const isFull = () => {
    const { buffers, mapped, sizeBytes } = fileSystem;
    const moreBytes = Math.max(0, lengthBytes - (mapped.get(file.inode) ?? 0));
    return buffers >= maxBuffers || (moreBytes > 0 && mappedOf(fileSystem) + moreBytes > sizeBytes / 2);
  };
  if (isFull() && performance.now() - fileSystem.askedAtMs >= askAgainMs) ask(file.device, fileSystem);
  return !isFull();
}

/** Returns whether the buffer counts as mapped, from now on if it can be. */
function isEntered(
  c: Library,
  buffer: ArrayBufferLike,
  { device, descriptor, inode }: MappableFile,
): boolean {
  const fileSystem = fileSystemOf(device, descriptor);
  if (Mark.has(buffer)) {
    noteMapped(fileSystem, inode, buffer.byteLength);
    return true;
  }
  if (!hasOwnPages(c, buffer)) return false;
  noteMapped(fileSystem, inode, buffer.byteLength);
  fileSystem.buffers++;
  if (!(buffer instanceof ArrayBuffer)) noteShared(fileSystem, buffer.byteLength);
  Mark.set(buffer, true);
  return true;
}

/**
 * Gives the pages of files back at once, instead of when the buffer is collected. It has only zeros then.
 * @returns false if the buffer is not mapped, or was transferred
 */
export function releasePages(buffer: ArrayBufferLike): boolean {
  const c = library();
  if (c === undefined || !Mark.has(buffer) || buffer.byteLength === 0) return false;
  Mark.set(buffer, false);
  const block = c.addressOf(buffer) - BigInt(blockOffsetBytes);
  const pages = pagesOf(buffer.byteLength);
  replace(c, block + BigInt(pageBytes), (pages - 1) * pageBytes);
  new Uint8Array(buffer, 0, pageBytes - blockOffsetBytes).fill(0);
  return true;
}

/**
 * Returns whether files of this folder can be mapped and locked, which is tried with one: not every kernel and file system
 * does what MAPPED-3 needs.
 */
export function canMapIn(folder: string): boolean {
  const c = library();
  if (c === undefined) return false;
  const path = join(folder, `mapping-${process.pid}.part`);
  try {
    writeFileSync(path, "palimpsest", { mode: 0o600 });
    // It has hardly a page.
    truncateSync(path, blockOffsetBytes + ownPagesBytes);
    appendFileSync(path, "end");
    const file = openMappable(path);
    if (file === undefined) return false;
    let buffer: ArrayBufferLike | undefined;
    try {
      buffer = mappedBuffer([{ file, offsetBytes: blockOffsetBytes, lengthBytes: ownPagesBytes + 3 }]);
    } finally {
      closeSync(file.descriptor);
    }
    if (buffer === undefined) return false;
    const isLocked = !isUnmapped(path);
    const isRight = Buffer.from(buffer, ownPagesBytes).toString() === "end";
    return releasePages(buffer) && isLocked && isRight && isUnmapped(path);
  } catch {
    return false;
  } finally {
    rmSync(path, { force: true });
  }
}

function fileSystemOf(device: number, descriptor: number): FileSystem {
  let found = fileSystems.get(device);
  if (found === undefined) {
    const { blocks, bsize } = statfsSync(`/proc/self/fd/${descriptor}`);
    const sizeBytes = blocks * bsize;
    const none = {
      mapped: new Map(),
      buffers: 0,
      sharedBytes: 0,
      sharedBuffers: 0,
      askedAtMs: Number.NEGATIVE_INFINITY,
    };
    found = { sizeBytes, ...none };
    fileSystems.set(device, found);
  }
  return found;
}

/** How many pages a block has whose memory has that many bytes. */
function pagesOf(lengthBytes: number): number {
  return Math.ceil((blockOffsetBytes + lengthBytes) / pageBytes);
}

/** Returns whether the C library has mapped pages for this buffer alone. */
function hasOwnPages(c: Library, buffer: ArrayBufferLike): boolean {
  const address = c.addressOf(buffer);
  // Only a block that was mapped begins here, so that its header can be read.
  if (address % BigInt(pageBytes) !== BigInt(blockOffsetBytes)) return false;
  if (c.wordAt(address - BigInt(blockOffsetBytes)) !== 0n) return false;
  const size = BigInt(pagesOf(buffer.byteLength) * pageBytes) | ownPagesFlag;
  return c.wordAt(address - BigInt(blockOffsetBytes / 2)) === size;
}

function blockOf(c: Library, lengthBytes: number, isShared: boolean): ArrayBufferLike {
  const first = allocated(c, lengthBytes, isShared);
  if (hasOwnPages(c, first) || lengthBytes < triedTwiceBytes) return first;
  // Freed memory was used again, and is taken now.
  return allocated(c, lengthBytes, isShared);
}

/**
 * Has V8 collect garbage now and then though it does not count shared memory, because buffers that nobody has any more keep
 * files of freed values.
 */
function noteShared(fileSystem: FileSystem, lengthBytes: number): void {
  fileSystem.sharedBytes += lengthBytes;
  fileSystem.sharedBuffers++;
  if (fileSystem.sharedBytes < fileSystem.sizeBytes / 4 && fileSystem.sharedBuffers < maxBuffers / 2) return;
  fileSystem.sharedBytes = 0;
  fileSystem.sharedBuffers = 0;
  collectBuffers();
}

/** Has V8 collect garbage if this thread has mapped files, so that those of buffers that nobody has any more are unmapped. */
export function collectBuffers(): void {
  // No page of it is ever touched.
  if (fileSystems.size > 0) void new ArrayBuffer(collectingBytes);
}

/**
 * A smaller block gets its own pages only above a threshold, which glibc raises to 32 MiB as such blocks are freed. From the
 * first allocation here on it is there, with the bounds that glibc sets with it, but for the allocation itself.
 */
function allocated(c: Library, lengthBytes: number, isShared: boolean): ArrayBufferLike {
  const type = isShared ? SharedArrayBuffer : ArrayBuffer;
  if (lengthBytes >= ownPagesBytes) return new type(lengthBytes);
  c.mallopt(malloc.trimThreshold, 2 * ownPagesBytes);
  c.mallopt(malloc.mmapThreshold, leastMappedBytes / 2);
  try {
    return new type(lengthBytes);
  } finally {
    c.mallopt(malloc.mmapThreshold, ownPagesBytes);
  }
}

/** Makes the file's whole pages those of the buffer, and copies what is before and after them. */
function place(c: Library, buffer: ArrayBufferLike, at: number, part: MappedPart): void {
  const { file, offsetBytes, lengthBytes } = part;
  const { descriptor } = file;
  const inPage = (position: number) => position % pageBytes;
  const block = c.addressOf(buffer) - BigInt(blockOffsetBytes);
  const from = blockOffsetBytes + at;
  const copied = new Uint8Array(buffer, at, lengthBytes);
  // The page with the header of the block stays.
  const firstPage = Math.ceil(Math.max(from, pageBytes) / pageBytes) * pageBytes;
  const isLast = at + lengthBytes === buffer.byteLength;
  const end = from + lengthBytes;
  const lastPage = isLast ? Math.ceil(end / pageBytes) * pageBytes : end - inPage(end);
  const mappedLength = lastPage - firstPage;
  const fileOffset = offsetBytes + firstPage - from;
  if (
    inPage(from) !== inPage(offsetBytes) ||
    mappedLength <= 0 ||
    file.sizeBytes < offsetBytes + lengthBytes
  ) {
    fill(descriptor, copied, offsetBytes);
    return;
  }
  fill(descriptor, copied.subarray(0, firstPage - from), offsetBytes);
  if (!replace(c, block + BigInt(firstPage), mappedLength, { descriptor, offsetBytes: fileOffset })) {
    fill(descriptor, copied.subarray(firstPage - from), fileOffset);
    return;
  }
  if (lastPage < end) fill(descriptor, copied.subarray(lastPage - from), offsetBytes + lastPage - from);
}

/** Replaces pages of a block by those of a file, or by new ones. Returns false if they are new ones, though a file was given. */
function replace(
  c: Library,
  address: bigint,
  lengthBytes: number,
  file?: { readonly descriptor: number; readonly offsetBytes: number },
): boolean {
  if (lengthBytes <= 0) return true;
  const flags = map.private | map.fixed | map.noReserve;
  if (file !== undefined) {
    const { descriptor, offsetBytes } = file;
    if (c.mmap(address, lengthBytes, protection.readAndWrite, flags, descriptor, offsetBytes) === address)
      return true;
  }
  // The old pages may be gone, and nobody may find a hole (MAPPED-1).
  if (c.mmap(address, lengthBytes, protection.readAndWrite, flags | map.anonymous, -1, 0) !== address)
    throw new Error(
      "the kernel took pages of a buffer and gives no others: the process is at its limit of mappings",
    );
  return file === undefined;
}

function fill(descriptor: number, target: Uint8Array, position: number): void {
  for (let done = 0; done < target.byteLength; ) {
    const read = readSync(descriptor, target, done, target.byteLength - done, position + done);
    if (read === 0) throw new Error("the file is shorter than what was to be read of it");
    done += read;
  }
}
