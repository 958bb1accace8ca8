import { Packr } from "msgpackr";
import { PalimpsestError } from "../base/error.js";
import { thrownMessage } from "../base/thrown.js";
import { refuseUnsendable } from "./unsendable.js";
import {
  CannotTravel,
  decodingWith,
  encodingWith,
  type ValueDecoding,
  type ValueEncoding,
} from "./value-extensions.js";

const packr = new Packr({
  // This keeps Map, Set, Date, typed arrays, Error and cycles.
  structuredClone: true,
  moreTypes: true,
  // Record definitions travel inside each message, and nothing is shared between peers, so that any two versions can
  // read each other. They also distinguish an object from a Map.
  useRecords: true,
  useBigIntExtension: true,
  // Bytes inside a value are copied out of the message that brought them, so that keeping 1 KB does not keep a batch of
  // 1 MiB.
  copyBuffers: true,
  writeFunction: () => {
    throw new CannotTravel();
  },
});

/**
 * Encodes values in which nothing can occur twice, be a reference or be code. The other encoder builds a table of
 * visited parts for each value, which makes it half as fast. The bytes are the same.
 */
const plainPackr = new Packr({ useRecords: true, useBigIntExtension: true, moreTypes: true });

/** The longest list that isPlain() checks item by item. Longer lists take the general encoder. */
const maxPlainItems = 16;

/** Returns whether the value is a string, number, boolean, undefined or null, or a short list of those. */
export function isPlain(value: unknown): boolean {
  if (!Array.isArray(value)) return isPlainItem(value);
  if (value.length > maxPlainItems || Object.getPrototypeOf(value) !== Array.prototype) return false;
  for (const item of value) if (!isPlainItem(item)) return false;
  return true;
}

function isPlainItem(value: unknown): boolean {
  const type = typeof value;
  return (
    type === "string" || type === "number" || type === "boolean" || value === undefined || value === null
  );
}

/** Encodes a value for which isPlain() is true, to the same bytes as encodeValue. */
export function encodePlain(value: unknown): Uint8Array {
  return plainPackr.pack(value);
}

/** The most holes that an array of a value may have. A value with fewer undefined parts is not looked through for them. */
const maxHoles = 65_536;
/** The value that is being packed, and how many of its parts were undefined so far. */
let packing: { readonly value: unknown; undefinedParts: number } | undefined;

// The packer writes a hole of an array as an undefined item, and asks for this option at each of them. Counting here
// costs other values nothing, while looking through every array before it is packed would. An array with one item and
// the index 2 ** 31 would otherwise be packed for minutes.
Object.defineProperty(packr, "encodeUndefinedAsNil", {
  get: () => {
    if (packing && ++packing.undefinedParts === maxHoles + 1)
      refuseUnsendable(packing.value, undefined, maxHoles);
    return false;
  },
});

/**
 * Encodes a value for a call or a reply: structured data and typed arrays.
 * @param encoding receives the references of the value; without it there may be none
 * @throws {PalimpsestError} INVALID_ARGUMENT for functions, symbols and promises at any depth, for arrays of which most is
 *   missing, for values nested too deep and for parts that cannot be read, naming their path
 */
export function encodeValue(value: unknown, encoding?: ValueEncoding): Uint8Array {
  if (isPlain(value)) return encodePlain(value);
  const outer = packing;
  packing = { value, undefinedParts: 0 };
  try {
    return encodingWith(encoding, () => packr.pack(value));
  } catch (reason) {
    if (reason instanceof PalimpsestError) throw reason;
    refuseUnsendable(value, reason, maxHoles);
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `the value cannot be encoded: ${thrownMessage(reason)}; send data that structuredClone can copy`,
      { cause: reason },
    );
  } finally {
    packing = outer;
    // The packer keeps its table of visited parts until it packs again, which would keep the value and its references
    // alive.
    packr.pack(null);
  }
}

/**
 * Decodes the bytes of encodeValue.
 * @param decoding turns references into what stands for them here; without it there may be none
 * @throws {PalimpsestError} CODEC
 */
export function decodeValue(bytes: Uint8Array, decoding?: ValueDecoding): unknown {
  try {
    return decodingWith(decoding, unpack, bytes);
  } catch (reason) {
    if (reason instanceof PalimpsestError) throw reason;
    throw new PalimpsestError("CODEC", `${bytes.byteLength} bytes are not an encoded value`, {
      cause: reason,
    });
  }
}

const unpack = (bytes: Uint8Array): unknown => packr.unpack(bytes);
