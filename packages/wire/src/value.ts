import { Packr } from "msgpackr";
import { PalimpsestError } from "./error.js";
import { thrownMessage } from "./thrown.js";
import {
  CannotTravel,
  decodingWith,
  encodingWith,
  unsendableClass,
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

/**
 * Encodes a value for a call or a reply: structured data and typed arrays.
 * @param encoding receives the references of the value; without it there may be none
 * @throws {PalimpsestError} INVALID_ARGUMENT for functions, symbols and promises at any depth, naming their path
 */
export function encodeValue(value: unknown, encoding?: ValueEncoding): Uint8Array {
  if (isPlain(value)) return encodePlain(value);
  try {
    return encodingWith(encoding, () => packr.pack(value));
  } catch (reason) {
    if (reason instanceof PalimpsestError) throw reason;
    refuseCode(value);
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `the value cannot be encoded: ${thrownMessage(reason)}; send data that structuredClone can copy`,
      {
        cause: reason,
      },
    );
  } finally {
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

interface Place {
  readonly value: unknown;
  readonly path: string;
}

/** Names the path of what made packing fail. It is iterative, because a value may be nested deeper than the stack. */
function refuseCode(root: unknown): void {
  const seen = new Set<object>();
  const open: Place[] = [{ value: root, path: "value" }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, path } = place;
    if (typeof value === "function" || typeof value === "symbol") {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${path} is a ${typeof value}: functions cannot be sent in calls; send data, and put the code into the actor's class`,
      );
    }
    if (value instanceof Promise) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${path} is a promise: await it, or send a reference to its value, as cluster.put() and task.ref() give one`,
      );
    }
    if (value === null || typeof value !== "object" || ArrayBuffer.isView(value) || seen.has(value)) continue;
    const unsendable = unsendableClass(value);
    if (unsendable !== undefined)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${path} is a ${unsendable} object, which cannot be sent: send what it contains`,
      );
    seen.add(value);
    // They are pushed in reverse, so that the first one in the value is popped first.
    for (const child of childrenOf(value, path).reverse()) open.push(child);
  }
}

function childrenOf(value: object, path: string): Place[] {
  if (Array.isArray(value)) return value.map((item, index) => ({ value: item, path: `${path}[${index}]` }));
  if (value instanceof Set) {
    return [...value].map((item, index) => ({ value: item, path: `${path}.values()[${index}]` }));
  }
  if (value instanceof Map) {
    return [...value].flatMap(([key, item], index) => [
      { value: key, path: `${path}.keys()[${index}]` },
      { value: item, path: `${path}.values()[${index}]` },
    ]);
  }
  return Object.entries(value).map(([key, item]) => ({ value: item, path: `${path}.${key}` }));
}
