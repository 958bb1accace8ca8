import { Packr } from "msgpackr";
import { PalimpsestError } from "./error.js";
import { decodingWith, encodingWith, type ValueDecoding, type ValueEncoding } from "./value-extensions.js";

/** Thrown while packing; the place of what must not travel is looked up only then, so that good values cost nothing. */
class CodeInValue extends Error {}

const packr = new Packr({
  // Keeps Map, Set, Date, typed arrays, Error and cycles.
  structuredClone: true,
  moreTypes: true,
  // Record definitions travel inside each message (nothing is shared between peers), so any two versions read each
  // other. They are also what distinguishes an object from a Map.
  useRecords: true,
  useBigIntExtension: true,
  // Bytes inside a value are copied out of the message that brought them: keeping 1 KB must not keep a batch of 1 MiB.
  copyBuffers: true,
  writeFunction: () => {
    throw new CodeInValue();
  },
});

/**
 * Bytes of a value that travels in a call or a reply: structured data and typed arrays.
 * @param encoding takes the references of the value; without it there may be none
 * @throws {PalimpsestError} INVALID_ARGUMENT for functions and symbols at any depth, with their place
 */
export function encodeValue(value: unknown, encoding?: ValueEncoding): Uint8Array {
  try {
    return encodingWith(encoding, () => packr.pack(value));
  } catch (reason) {
    if (reason instanceof PalimpsestError) throw reason;
    refuseCode(value);
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `value cannot travel: ${String(reason)}; send structured data`,
      {
        cause: reason,
      },
    );
  }
}

/**
 * The value of encodeValue's bytes.
 * @param decoding makes of its references what stands for them here; without it there may be none
 * @throws {PalimpsestError} CODEC
 */
export function decodeValue(bytes: Uint8Array, decoding?: ValueDecoding): unknown {
  try {
    return decodingWith(decoding, () => packr.unpack(bytes));
  } catch (reason) {
    if (reason instanceof PalimpsestError) throw reason;
    throw new PalimpsestError("CODEC", `${bytes.byteLength} bytes are not an encoded value`, {
      cause: reason,
    });
  }
}

interface Place {
  readonly value: unknown;
  readonly path: string;
}

/** Names the place of what made packing fail. Iterative: a value may be deeper than the stack. */
function refuseCode(root: unknown): void {
  const seen = new Set<object>();
  const open: Place[] = [{ value: root, path: "value" }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, path } = place;
    if (typeof value === "function" || typeof value === "symbol") {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${path} is a ${typeof value}: code does not travel in calls; send data and let the actor's class hold the code`,
      );
    }
    if (value === null || typeof value !== "object" || ArrayBuffer.isView(value) || seen.has(value)) continue;
    seen.add(value);
    // The first in the value is the first that is popped.
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
