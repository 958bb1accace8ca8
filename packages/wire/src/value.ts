import { Packr } from "msgpackr";
import { PalimpsestError } from "./error.js";

// Structured clone keeps Map, Set, Date, typed arrays, Error and cycles. Record definitions travel inside each
// message (nothing is shared between peers), so any two versions read each other, and a Map stays a Map.
const packr = new Packr({ structuredClone: true, useRecords: true, moreTypes: true, int64AsType: "number" });

/**
 * Bytes of a value that travels in a call or a reply: structured data and typed arrays.
 * @throws {PalimpsestError} INVALID_ARGUMENT for functions and symbols
 */
export function encodeValue(value: unknown): Uint8Array {
  try {
    refuseCode(value, "value", 0);
    return packr.pack(value);
  } catch (reason) {
    if (reason instanceof PalimpsestError) throw reason;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `value cannot travel: ${String(reason)}; send structured data`,
      {
        cause: reason,
      },
    );
  }
}

/** The value of encodeValue's bytes. @throws {PalimpsestError} CODEC */
export function decodeValue(bytes: Uint8Array): unknown {
  try {
    return packr.unpack(bytes);
  } catch (reason) {
    throw new PalimpsestError("CODEC", `${bytes.byteLength} bytes are not an encoded value`, {
      cause: reason,
    });
  }
}

const maxCheckedDepth = 6;

// Only the upper levels are searched: deep data is data, and a walk over megabytes would cost more than packing.
function refuseCode(value: unknown, path: string, depth: number): void {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${path} is a ${typeof value}: code does not travel in calls; send data and let the actor's class hold the code`,
    );
  }
  if (value === null || typeof value !== "object" || depth >= maxCheckedDepth || ArrayBuffer.isView(value))
    return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.slice(0, 100).entries())
      refuseCode(item, `${path}[${index}]`, depth + 1);
    return;
  }
  for (const [key, item] of Object.entries(value)) refuseCode(item, `${path}.${key}`, depth + 1);
}
