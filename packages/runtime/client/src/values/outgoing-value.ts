/**
 * Responsibility: a value on its way to another program, as arguments or a result: whether it is sent in the message
 * or as an object, and the preparation before the message may be sent.
 * Not responsible for: messages (call-stream.ts), or the values that it refers to (value-store.ts).
 *
 * Invariants:
 * - OUTGOING-1. The values to which the outgoing value refers, and the object that replaces it if it is large, are
 *   leased for this program from before the message is sent until release(). The receiver takes leases of its own
 *   before it confirms the receipt.
 */
import {
  decodeWhole,
  type EncodedValue,
  encodeLong,
  encodePlain,
  encodeValue,
  isPlain,
  PalimpsestError,
  storedValue,
  wholeOf,
} from "@palimpsest/wire";
import { type ObjectRef, refsOf } from "../base/object-ref.js";
import type { ValueStore } from "./value-store.js";
import { smallValueBytes } from "./value-writes.js";

/** The maximum size in bytes of one call's encoded arguments or value in a message. */
export const maxCallBytes = 16 * 1024 * 1024;

/** The content of the message. */
export interface ReadyValue {
  /** The encoded value; empty if it is an object. */
  readonly bytes: Uint8Array;
  readonly object: { readonly objectId: string; readonly sizeBytes: number } | undefined;
}

/** An encoded value on its way out, whose references and large parts may have to be stored first. */
export interface OutgoingValue {
  /**
   * Resolves to the content when it may be sent; undefined if it may be sent at once.
   * @throws {PalimpsestError} OBJECT_STORE_FULL, OBJECT_LOST, UNAVAILABLE
   */
  readonly preparing: Promise<ReadyValue> | undefined;
  /** The content of a value that may be sent at once. */
  readonly bytes: Uint8Array;
  readonly sizeBytes: number;
  /** Whether something is leased until release(). */
  readonly keeps: boolean;
  /** The values that it refers to. */
  readonly refs: readonly ObjectRef[];
  release(): void;
}

const nothing = () => undefined;
const noRefs: readonly ObjectRef[] = [];

/**
 * @param snapshot whether the value may change as soon as this returns
 * @param objectId the name that it gets as an object, however small it is; empty for a new name, if it is large
 * @throws {PalimpsestError} INVALID_ARGUMENT for functions and symbols
 */
export function outgoingValue(
  value: unknown,
  values: ValueStore,
  snapshot: boolean,
  objectId = "",
): OutgoingValue {
  if (objectId === "" && isPlain(value)) {
    const bytes = encodePlain(value);
    if (bytes.byteLength <= smallValueBytes) return inlineValue(bytes);
  }
  const encoded = encodeLong(value);
  const refs = refsOf(encoded.references);
  const isSmall = encoded.sizeBytes <= smallValueBytes && objectId === "";
  if (isSmall && refs.length === 0) {
    return inlineValue(inlineOf(value, encoded));
  }
  const promoting = values.promoted(refs);
  const kept = refs.map((ref) => values.holds.pin(ref));
  const release = () => {
    for (const unpin of kept.splice(0)) unpin();
  };
  if (isSmall) {
    const bytes = inlineOf(value, encoded);
    const preparing = promoting?.then(() => ({ bytes, object: undefined }));
    return { preparing, bytes, sizeBytes: bytes.byteLength, keeps: true, refs, release };
  }
  const store = async (): Promise<ReadyValue> => {
    const stored = storedValue(encoded);
    const pieces = snapshot ? [Uint8Array.from(wholeOf(stored))] : stored.pieces;
    try {
      const ref = await values.store({ pieces, sizeBytes: stored.sizeBytes }, refs, { objectId });
      kept.push(() => ref.release());
      return { bytes: new Uint8Array(), object: { objectId: ref.objectId, sizeBytes: ref.sizeBytes } };
    } catch (reason) {
      // The store is optional here: a message carries the value too, although more slowly.
      const { code } = PalimpsestError.from(reason);
      const fits = stored.sizeBytes <= maxCallBytes && objectId === "";
      if (!fits || (code !== "OBJECT_STORE_FULL" && code !== "UNAVAILABLE")) throw reason;
      await promoting;
      return {
        bytes: inlineAgain(wholeOf({ pieces, sizeBytes: stored.sizeBytes }), encoded),
        object: undefined,
      };
    }
  };
  const { sizeBytes } = encoded;
  return { preparing: store(), bytes: new Uint8Array(), sizeBytes, keeps: true, refs, release };
}

/** Creates one that is sent in its message and refers to nothing. */
export function inlineValue(bytes: Uint8Array): OutgoingValue {
  return {
    preparing: undefined,
    bytes,
    sizeBytes: bytes.byteLength,
    keeps: false,
    refs: noRefs,
    release: nothing,
  };
}

function inlineOf(value: unknown, { encoded, arrays }: EncodedValue): Uint8Array {
  return arrays.length === 0 ? encoded : encodeValue(value, { onReference: nothing });
}

/** Decodes the bytes as they were, because the value may have changed. */
function inlineAgain(whole: Uint8Array, { references }: EncodedValue): Uint8Array {
  const stands = new Map(references.map(([reference, of]) => [JSON.stringify(reference), of]));
  const value = decodeWhole(whole, (reference) => stands.get(JSON.stringify(reference)));
  return encodeValue(value, { onReference: nothing });
}
