import type { FileHandle } from "node:fs/promises";
import { ModelError } from "../base/error.js";

const WINDOW_BYTES = 1 << 20;

/**
 * Reads a file's bytes in order from the start, with one window of the file in memory. `need(n)` makes the next n bytes
 * available. The methods that then read them are synchronous, because a header has a hundred thousand short strings.
 */
export class HeaderBytes {
  readonly path: string;
  readonly sizeBytes: number;
  readonly #file: FileHandle;
  #window: Buffer = Buffer.alloc(0);
  /** Position in the file of the window's first byte. */
  #windowStart = 0;
  #at = 0;

  constructor(path: string, file: FileHandle, sizeBytes: number) {
    this.path = path;
    this.#file = file;
    this.sizeBytes = sizeBytes;
  }

  get position(): number {
    return this.#windowStart + this.#at;
  }

  get remaining(): number {
    return this.sizeBytes - this.position;
  }

  damaged(what: string, cause?: unknown): ModelError {
    return new ModelError("FILE_DAMAGED", `${this.path}: ${what}; fetch or write the file again`, { cause });
  }

  /** Returns whether the next `count` bytes can be read without `need`. */
  has(count: number): boolean {
    return this.#at + count <= this.#window.length;
  }

  /** Makes the next `count` bytes available. @throws {ModelError} FILE_DAMAGED when the file ends before them */
  async need(count: number): Promise<void> {
    if (this.has(count)) return;
    if (count > this.remaining) {
      throw this.damaged(
        `truncated: ${count} bytes are expected at byte ${this.position} of a file of ${this.sizeBytes}`,
      );
    }
    const start = this.position;
    const window = Buffer.alloc(Math.min(Math.max(count, WINDOW_BYTES), this.sizeBytes - start));
    await readExactly(this.#file, window, start, this.path);
    this.#window = window;
    this.#windowStart = start;
    this.#at = 0;
  }

  uint8(): number {
    return this.#window.readUInt8(this.#advance(1));
  }

  int8(): number {
    return this.#window.readInt8(this.#advance(1));
  }

  uint16(): number {
    return this.#window.readUInt16LE(this.#advance(2));
  }

  int16(): number {
    return this.#window.readInt16LE(this.#advance(2));
  }

  uint32(): number {
    return this.#window.readUInt32LE(this.#advance(4));
  }

  int32(): number {
    return this.#window.readInt32LE(this.#advance(4));
  }

  float32(): number {
    return this.#window.readFloatLE(this.#advance(4));
  }

  float64(): number {
    return this.#window.readDoubleLE(this.#advance(8));
  }

  uint64(): bigint {
    return this.#window.readBigUInt64LE(this.#advance(8));
  }

  int64(): bigint {
    return this.#window.readBigInt64LE(this.#advance(8));
  }

  /** Reads a count or length. One that exceeds the size of the file is refused as damage. */
  length(what: string): number {
    const value = this.uint64();
    if (value > BigInt(this.sizeBytes))
      throw this.damaged(`the ${what} is ${value}, which is more than the file has bytes`);
    return Number(value);
  }

  text(sizeBytes: number): string {
    const start = this.#advance(sizeBytes);
    return this.#window.toString("utf8", start, start + sizeBytes);
  }

  #advance(count: number): number {
    const at = this.#at;
    this.#at += count;
    return at;
  }
}

/** Fills `into` with the bytes at `position`. @throws {ModelError} FILE_DAMAGED when the file ends before their end */
export async function readExactly(
  file: FileHandle,
  into: Uint8Array,
  position: number,
  path: string,
): Promise<void> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled);
    if (bytesRead === 0) {
      const message = `${path}: truncated at byte ${position + filled}; fetch or write the file again`;
      throw new ModelError("FILE_DAMAGED", message);
    }
    filled += bytesRead;
  }
}
