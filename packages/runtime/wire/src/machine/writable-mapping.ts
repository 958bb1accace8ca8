import { statfsSync } from "node:fs";
import { library, map, protection } from "./c-library.js";

/** The number by which Linux names a tmpfs. */
const tmpfsType = 0x01021994;

/** A file's memory that is written in place. What is written is the file's content at once. */
export interface WritableMapping {
  readonly sizeBytes: number;
  readonly fileSystemBytes: number;
  write(bytes: Uint8Array, positionBytes: number): void;
  /**
   * Does the same in a thread.
   * @param bytes shared memory alone, since other memory may be transferred, and freed, while it is read
   */
  writeInThread(bytes: Uint8Array, positionBytes: number): Promise<void>;
  /** Returns a copy of its first bytes. */
  read(lengthBytes: number): Uint8Array;
  /** The mapping must not be written after that, nor in a thread meanwhile. */
  close(): void;
}

/**
 * Maps a file in memory to be written; on a disk, an error would end the process. All of its pages must be allocated, because
 * writing to one for which there is no room would end it, too.
 * @param options.isReady whether the kernel enters all pages at once, which takes half the time of doing so at the first write. Default: yes
 * @returns undefined where that is impossible
 */
export function writableMapping(
  descriptor: number,
  sizeBytes: number,
  { isReady = true }: { readonly isReady?: boolean } = {},
): WritableMapping | undefined {
  const c = library();
  if (c === undefined || sizeBytes <= 0) return undefined;
  const { blocks, bsize, type } = statfsSync(`/proc/self/fd/${descriptor}`);
  if (type !== tmpfsType) return undefined;
  const fileSystemBytes = blocks * bsize;
  const flags = map.shared | (isReady ? map.populate : 0);
  const at = c.mmap(0n, sizeBytes, protection.readAndWrite, flags, descriptor, 0);
  if (at === 0n || BigInt.asIntN(64, at) === -1n) return undefined;
  let isOpen = true;
  const addressAt = (positionBytes: number, { byteLength }: Uint8Array): bigint => {
    if (!isOpen || positionBytes < 0 || positionBytes + byteLength > sizeBytes)
      throw new RangeError(`${byteLength} bytes at ${positionBytes} are not within the mapping`);
    return at + BigInt(positionBytes);
  };
  return {
    sizeBytes,
    fileSystemBytes,
    write(bytes, positionBytes) {
      const to = addressAt(positionBytes, bytes);
      if (bytes.byteLength > 0) c.copyIn(to, bytes, bytes.byteLength);
    },
    async writeInThread(bytes, positionBytes) {
      const to = addressAt(positionBytes, bytes);
      if (!(bytes.buffer instanceof SharedArrayBuffer))
        throw new TypeError("the bytes are not shared memory");
      if (bytes.byteLength > 0) await c.copyInThread(to, bytes, bytes.byteLength);
    },
    read(lengthBytes) {
      if (!isOpen || lengthBytes > sizeBytes)
        throw new RangeError(`${lengthBytes} bytes are not within the mapping`);
      const bytes = new Uint8Array(lengthBytes);
      c.copyOut(bytes, at, lengthBytes);
      return bytes;
    },
    close() {
      if (isOpen) c.munmap(at, sizeBytes);
      isOpen = false;
    },
  };
}
