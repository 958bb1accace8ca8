/**
 * Responsibility: what stands for something else inside a value: references to objects, handles of actors, and long typed
 *   arrays that lie beside the value (stored-value.ts). Each is an extension of MessagePack.
 * Not responsible for: what a reference becomes where it arrives (client/value-codec.ts).
 *
 * Invariants:
 * - VALUE-1. A reference names an object or an actor by its id, and perhaps the program that made the object. It carries
 *   no address and no token.
 */
import { ActorReference, ObjectReference } from "@palimpsest/wire/protocol";
import { addExtension } from "msgpackr";
import { PalimpsestError } from "./error.js";

/** Types of the extensions, see docs/protocol.md. */
const extension = { object: 1, actor: 2, array: 3 } as const;

export type Reference =
  | {
      readonly kind: "object";
      readonly objectId: string;
      readonly sizeBytes: number;
      /** The program that can have it made again, where there is one. */
      readonly ownerId?: string;
    }
  | { readonly kind: "actor"; readonly actorId: string; readonly maxTaskRetries: number };

export interface ValueEncoding {
  /** Something of the value is a reference. */
  onReference(reference: Reference, value: object): void;
  /** Typed arrays of at least so many bytes go beside the value; default none. */
  readonly longArrayBytes?: number;
  /** Takes such an array. @returns where it begins, in bytes */
  onLongArray?(bytes: Uint8Array): number;
}

export interface ValueDecoding {
  /** What stands for the reference here. */
  bind(reference: Reference): unknown;
  /** The bytes of an array that lies beside the value, in a buffer of their own; they may be filled in later. */
  longArray?(offsetBytes: number, lengthBytes: number): ArrayBuffer;
}

const references = new WeakMap<object, Reference>();
let encoding: ValueEncoding | undefined;
let decoding: ValueDecoding | undefined;
/** False while other programs of this process pack with the same library. */
let isEncoding = false;

/** @param ownerId empty: nobody can have it made again */
export function objectReference(objectId: string, sizeBytes: number, ownerId: string): Reference {
  return { kind: "object", objectId, sizeBytes, ...(ownerId === "" ? {} : { ownerId }) };
}

/** Has `value` travel as the reference, wherever it stands. */
export function markReference(value: object, reference: Reference): void {
  references.set(value, reference);
}

export function referenceOf(value: unknown): Reference | undefined {
  return typeof value === "object" && value !== null ? references.get(value) : undefined;
}

/** Runs a synchronous encoder. */
export function encodingWith<T>(next: ValueEncoding | undefined, encode: () => T): T {
  const before = encoding;
  const was = isEncoding;
  encoding = next;
  isEncoding = true;
  try {
    return encode();
  } finally {
    encoding = before;
    isEncoding = was;
  }
}

/** Runs a synchronous decoder. */
export function decodingWith<T>(next: ValueDecoding | undefined, decode: () => T): T {
  const before = decoding;
  decoding = next;
  try {
    return decode();
  } finally {
    decoding = before;
  }
}

function bound(reference: Reference): unknown {
  if (decoding) return decoding.bind(reference);
  throw new PalimpsestError(
    "CODEC",
    `the value refers to an ${reference.kind}, and references cannot be read here`,
  );
}

function taken(reference: Reference, value: object): void {
  if (encoding) encoding.onReference(reference, value);
  else
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `the value refers to an ${reference.kind}: references travel in calls and in values that are put, not here`,
    );
}

/** What the library takes for a class: it asks it of each value that is no plain one. */
function typeOf(isOne: (value: object) => boolean): never {
  return { [Symbol.hasInstance]: isOne } as never;
}

function isLongArray(value: object): boolean {
  const least = encoding?.longArrayBytes;
  if (least === undefined) return false;
  return (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) && value.byteLength >= least;
}

addExtension({
  Class: typeOf((value) => isEncoding && references.get(value)?.kind === "object"),
  type: extension.object,
  pack: (value: object) => {
    const reference = references.get(value);
    if (reference?.kind !== "object") throw new PalimpsestError("INTERNAL", "no reference to an object");
    taken(reference, value);
    const { objectId, sizeBytes, ownerId = "" } = reference;
    return Buffer.from(
      ObjectReference.encode({ objectId: Buffer.from(objectId, "hex"), sizeBytes, ownerId }).finish(),
    );
  },
  unpack: (data: Uint8Array) => {
    const { objectId, sizeBytes, ownerId } = ObjectReference.decode(data);
    return bound(objectReference(Buffer.from(objectId).toString("hex"), sizeBytes, ownerId));
  },
} as never);

addExtension({
  Class: typeOf((value) => isEncoding && references.get(value)?.kind === "actor"),
  type: extension.actor,
  pack: (value: object) => {
    const reference = references.get(value);
    if (reference?.kind !== "actor") throw new PalimpsestError("INTERNAL", "no handle of an actor");
    taken(reference, value);
    return Buffer.from(ActorReference.encode(reference).finish());
  },
  unpack: (data: Uint8Array) => {
    const { actorId, maxTaskRetries } = ActorReference.decode(data);
    return bound({ kind: "actor", actorId, maxTaskRetries });
  },
} as never);

type ArrayType = new (buffer: ArrayBuffer) => ArrayBufferView;

/** By the code that an array has on the wire. Those of MessagePack's own extension for typed arrays are the same. */
const arrayTypes: readonly ArrayType[] = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
];
const arrayBufferCode = 0x10;
const dataViewCode = 0x11;
const arrayPayloadBytes = 13;

function arrayCode(value: object): number {
  if (value instanceof ArrayBuffer) return arrayBufferCode;
  if (value instanceof DataView) return dataViewCode;
  return arrayTypes.findIndex((type) => value instanceof type);
}

addExtension({
  Class: typeOf(isLongArray),
  type: extension.array,
  pack: (value: ArrayBufferView | ArrayBuffer) => {
    const bytes = ArrayBuffer.isView(value)
      ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      : new Uint8Array(value);
    const payload = Buffer.alloc(arrayPayloadBytes);
    payload.writeUInt8(arrayCode(value), 0);
    payload.writeUIntLE(encoding?.onLongArray?.(bytes) ?? 0, 1, 6);
    payload.writeUIntLE(bytes.byteLength, 7, 6);
    return payload;
  },
  unpack: (data: Uint8Array) => {
    const payload = Buffer.from(data);
    if (payload.byteLength !== arrayPayloadBytes || decoding?.longArray === undefined)
      throw new PalimpsestError(
        "CODEC",
        "an array of the value lies beside it, and nothing lies beside it here",
      );
    const code = payload.readUInt8(0);
    const buffer = decoding.longArray(payload.readUIntLE(1, 6), payload.readUIntLE(7, 6));
    if (code === arrayBufferCode) return buffer;
    if (code === dataViewCode) return new DataView(buffer);
    const type = arrayTypes[code];
    if (type) return new type(buffer);
    throw new PalimpsestError("CODEC", `an array of the value has the unknown type ${code}`);
  },
} as never);
