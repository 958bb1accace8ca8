/**
 * Responsibility: the layout of a value that is stored as an object: a header, the encoded value, and then the bytes
 * of its long arrays, which are written from and read into memory without a copy.
 *
 *   bytes 0-3 the format (1), 4-7 the length of the encoded value, both little-endian; the encoded value; then, each at a
 *   multiple of 64 bytes, the arrays. Offsets of arrays count from the first multiple of 64 after the encoded value.
 *   Arrays that a reader may map stand at another place: at the byte `blockOffsetBytes` of a page of 4 KiB.
 */
import { PalimpsestError } from "../base/error.js";
import { pageBytes } from "../machine/c-library.js";
import { blockOffsetBytes, leastMappedBytes } from "../machine/mapped-files.js";
import { decodeValue, encodeValue } from "./value.js";
import type { Reference, ValueDecoding } from "./value-extensions.js";

const format = 1;
const prefixBytes = 8;
const alignmentBytes = 64;
/** Arrays shorter than this are copied into the encoded value. */
const longArrayBytes = 32 * 1024;
/** A value is encoded twice to place its arrays for mapping, unless this part of it is longer. */
const maxEncodedTwiceBytes = 64 * 1024;

/** An encoded value as an object has it, in pieces. */
export interface StoredValue {
  /**
   * The pieces that form the object's bytes, in order. Arrays are not copied, so they must not change until they are
   * written.
   */
  readonly pieces: readonly Uint8Array[];
  readonly sizeBytes: number;
}

/** An encoded value of which it is not yet known whether it becomes an object or travels in a message. */
export interface EncodedValue {
  /** The result of encodeValue, without the long arrays. */
  readonly encoded: Uint8Array;
  /** The long arrays, in place and not copied, each with its offset from the first multiple of 64 after `encoded`. */
  readonly arrays: readonly { readonly bytes: Uint8Array; readonly offset: number }[];
  /** Approximate size of all of it in bytes. */
  readonly sizeBytes: number;
  /** The references in the value, each with the object that stood for it. */
  readonly references: readonly (readonly [Reference, object])[];
}

/** A long array of a value that is being read: its position in the object, and the memory that it is read into. */
export interface ArrayToRead {
  readonly offsetBytes: number;
  readonly target: Uint8Array;
}

/** The memory of an array of a value, and whether its bytes are there already. */
export interface ArrayMemory {
  readonly buffer: ArrayBufferLike;
  readonly isFilled: boolean;
}

/** Returns the memory of an array, which is a view of it or, if not `isView`, has to be an ArrayBuffer. */
export type MemoryOf = (lengthBytes: number, offsetBytes: number, isView: boolean) => ArrayMemory;

export interface ValueToRead {
  readonly value: unknown;
  /** The arrays that are still to be read; empty when all bytes were given. */
  readonly arrays: readonly ArrayToRead[];
}

/**
 * Encodes a value and keeps its long arrays apart. @throws {PalimpsestError} INVALID_ARGUMENT for what cannot travel
 */
export function encodeLong(value: unknown): EncodedValue {
  const encoded = encodeAt(value, undefined);
  const isMappable = encoded.arrays.some(({ bytes }) => bytes.byteLength >= leastMappedBytes);
  if (!isMappable || encoded.encoded.byteLength > maxEncodedTwiceBytes) return encoded;
  // Offsets take the same number of bytes, whatever they are, so that the arrays begin where they did.
  const placed = encodeAt(value, encoded.encoded.byteLength);
  return placed.encoded.byteLength === encoded.encoded.byteLength ? placed : encoded;
}

/** @param encodedBytes the length of the result, if it is known and arrays are to be placed for mapping */
function encodeAt(value: unknown, encodedBytes: number | undefined): EncodedValue {
  const references: [Reference, object][] = [];
  const arrays: { readonly bytes: Uint8Array; readonly offset: number }[] = [];
  const begin = encodedBytes === undefined ? undefined : aligned(prefixBytes + encodedBytes);
  let arraysBytes = 0;
  const encoded = encodeValue(value, {
    onReference: (reference, of) => references.push([reference, of]),
    longArrayBytes,
    onLongArray: (bytes) => {
      const isMapped = begin !== undefined && bytes.byteLength >= leastMappedBytes;
      const offset = isMapped ? placeInPage(begin + arraysBytes) - begin : aligned(arraysBytes);
      arrays.push({ bytes, offset });
      arraysBytes = offset + bytes.byteLength;
      return offset;
    },
  });
  return { encoded, arrays, sizeBytes: encoded.byteLength + arraysBytes, references };
}

/** Lays out the object that holds the value. */
export function storedValue({ encoded, arrays }: EncodedValue): StoredValue {
  const end = prefixBytes + encoded.byteLength;
  const begin = Buffer.alloc(arrays.length > 0 ? aligned(end) : end);
  begin.writeUInt32LE(format, 0);
  begin.writeUInt32LE(encoded.byteLength, 4);
  begin.set(encoded, prefixBytes);
  const pieces: Uint8Array[] = [begin];
  let sizeBytes = begin.byteLength;
  for (const { bytes, offset } of arrays) {
    const gap = begin.byteLength + offset - sizeBytes;
    if (gap > 0) pieces.push(new Uint8Array(gap));
    pieces.push(bytes);
    sizeBytes += gap + bytes.byteLength;
  }
  return { pieces, sizeBytes };
}

/**
 * Returns how many bytes of the object's beginning decodeStored needs, which its first bytes say. @throws
 * {PalimpsestError} CODEC
 */
export function headBytes(begin: Uint8Array): number {
  const view = Buffer.from(begin.buffer, begin.byteOffset, begin.byteLength);
  if (view.byteLength < prefixBytes || view.readUInt32LE(0) !== format)
    throw new PalimpsestError("CODEC", "the object is not a value of this version of Palimpsest");
  return prefixBytes + view.readUInt32LE(4);
}

/**
 * Decodes a value whose long arrays are still to be read.
 * @param begin the first headBytes() bytes of the object, or more
 * @param memory returns the memory of an array. Default: a new buffer
 * @throws {PalimpsestError} CODEC
 */
export function decodeStored(
  begin: Uint8Array,
  sizeBytes: number,
  bind: ValueDecoding["bind"],
  memory: MemoryOf = newMemory(false),
): ValueToRead {
  const end = headBytes(begin);
  if (end > begin.byteLength)
    throw new PalimpsestError("CODEC", `the encoded value extends beyond the object's bytes`);
  const arrays: ArrayToRead[] = [];
  const value = decodeValue(begin.subarray(prefixBytes, end), {
    bind,
    longArray: (offset, lengthBytes, isView) => {
      const offsetBytes = aligned(end) + offset;
      if (offsetBytes + lengthBytes > sizeBytes)
        throw new PalimpsestError(
          "CODEC",
          `an array of ${lengthBytes} bytes extends beyond the object's bytes`,
        );
      const { buffer, isFilled } = memory(lengthBytes, offsetBytes, isView);
      if (!isFilled) arrays.push({ offsetBytes, target: new Uint8Array(buffer, 0, lengthBytes) });
      return buffer;
    },
  });
  return { value, arrays };
}

/** Returns new memory for arrays, which threads may share if `isShared`. */
export function newMemory(isShared: boolean): MemoryOf {
  return (lengthBytes, _offsetBytes, isView) => ({
    buffer: isShared && isView ? new SharedArrayBuffer(lengthBytes) : new ArrayBuffer(lengthBytes),
    isFilled: false,
  });
}

/** Decodes the value of an object whose bytes are all present. @throws {PalimpsestError} CODEC */
export function decodeWhole(bytes: Uint8Array, bind: ValueDecoding["bind"], memory?: MemoryOf): unknown {
  const { value, arrays } = decodeStored(bytes, bytes.byteLength, bind, memory);
  for (const { offsetBytes, target } of arrays)
    target.set(bytes.subarray(offsetBytes, offsetBytes + target.byteLength));
  return value;
}

/** Joins all pieces, copying them only when there are several. */
export function wholeOf({ pieces, sizeBytes }: StoredValue): Uint8Array {
  const [only, ...others] = pieces;
  if (only !== undefined && others.length === 0) return only;
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/** Returns the next place where an array can be mapped. */
function placeInPage(position: number): number {
  return Math.ceil((position - blockOffsetBytes) / pageBytes) * pageBytes + blockOffsetBytes;
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignmentBytes) * alignmentBytes;
}
