/**
 * Responsibility: encodes parts of a value that are represented by something else: references to objects, handles of
 * actors, and long typed arrays that are stored next to the value (stored-value.ts). Each is an extension of
 * MessagePack.
 * Not responsible for: the receiver's representation of a reference (client/value-codec.ts).
 *
 * Invariants:
 * - VALUE-1. A reference contains the id of an object or an actor and, for an object, may contain the id of the program
 *   that created it. It contains no address and no token.
 */
import { ActorReference, ObjectReference } from "@palimpsest/wire/protocol";
import { addExtension } from "msgpackr";
import { PalimpsestError } from "../base/error.js";

/** Type numbers of the extensions; see docs/protocol.md. */
const extension = {
  object: 1,
  actor: 2,
  array: 3,
  promise: 4,
  map: 5,
  subarray: 6,
  refused: 7,
  aggregate: 8,
} as const;

/** A reference in a value: to an object or to an actor. */
export type Reference =
  | {
      readonly kind: "object";
      readonly objectId: string;
      readonly sizeBytes: number;
      /** The program that can reconstruct the object, if there is one. */
      readonly ownerId?: string;
    }
  | { readonly kind: "actor"; readonly actorId: string; readonly maxTaskRetries: number };

/** What an encoder does with references and long arrays. */
export interface ValueEncoding {
  /** Called for each reference in the value. */
  onReference(reference: Reference, value: object): void;
  /** Typed arrays of at least this many bytes are stored next to the value. Default: none are. */
  readonly longArrayBytes?: number;
  /** Stores such an array. @returns the offset at which it begins, in bytes */
  onLongArray?(bytes: Uint8Array): number;
}

/** What a decoder does with references and long arrays. */
export interface ValueDecoding {
  /** Returns what stands for the reference in this process. */
  bind(reference: Reference): unknown;
  /**
   * Returns a buffer for the bytes of an array that is stored next to the value. The bytes may be filled in later.
   * @param isView whether the array is a view of the buffer, and not the buffer itself
   */
  longArray?(offsetBytes: number, lengthBytes: number, isView: boolean): ArrayBufferLike;
}

const references = new WeakMap<object, Reference>();
let encoding: ValueEncoding | undefined;
let decoding: ValueDecoding | undefined;
/** False while other code in this process packs with the same library. */
let isEncoding = false;

/** @param ownerId empty when no program can reconstruct the object */
export function objectReference(objectId: string, sizeBytes: number, ownerId: string): Reference {
  return { kind: "object", objectId, sizeBytes, ...(ownerId === "" ? {} : { ownerId }) };
}

/** Marks `value` so that the reference travels instead of it, wherever it appears. */
export function markReference(value: object, reference: Reference): void {
  references.set(value, reference);
}

/** Returns the reference that a value of a program stands for; undefined if it stands for none. */
export function referenceOf(value: unknown): Reference | undefined {
  return typeof value === "object" && value !== null ? references.get(value) : undefined;
}

/** Runs a synchronous encoder with this encoding. */
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

/** Runs a synchronous decoder with this decoding. */
export function decodingWith<T>(
  next: ValueDecoding | undefined,
  decode: (bytes: Uint8Array) => T,
  bytes: Uint8Array,
): T {
  const before = decoding;
  decoding = next;
  try {
    return decode(bytes);
  } finally {
    decoding = before;
  }
}

function bound(reference: Reference): unknown {
  if (decoding) return decoding.bind(reference);
  throw new PalimpsestError(
    "CODEC",
    `the value refers to an ${reference.kind}, and this decoder does not support references`,
  );
}

function taken(reference: Reference, value: object): void {
  if (encoding) encoding.onReference(reference, value);
  else
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `the value refers to an ${reference.kind}: references can be sent only in calls and in values that are put`,
    );
}

/** A stand-in for a class. The library tests with it every value that is not a plain object. */
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
    if (reference?.kind !== "object")
      throw new PalimpsestError("INTERNAL", "the value is not a reference to an object");
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
    if (reference?.kind !== "actor")
      throw new PalimpsestError("INTERNAL", "the value is not a handle of an actor");
    taken(reference, value);
    return Buffer.from(ActorReference.encode(reference).finish());
  },
  unpack: (data: Uint8Array) => {
    const { actorId, maxTaskRetries } = ActorReference.decode(data);
    return bound({ kind: "actor", actorId, maxTaskRetries });
  },
} as never);

/** Thrown while packing. The path to the offending part is searched only then, so that good values cost nothing. */
export class CannotTravel extends Error {}

// Without this a promise would travel as an empty object. No message has this extension.
addExtension({
  Class: typeOf((value) => isEncoding && value instanceof Promise),
  type: extension.promise,
  pack: () => {
    throw new CannotTravel();
  },
} as never);

type ArrayType = new (buffer: ArrayBuffer) => ArrayBufferView;

/** Array types by their code on the wire. The codes are those of MessagePack's own extension for typed arrays. */
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
        "the value refers to an array after its bytes, which only stored objects can have",
      );
    const code = payload.readUInt8(0);
    const isView = code !== arrayBufferCode;
    const buffer = decoding.longArray(payload.readUIntLE(1, 6), payload.readUIntLE(7, 6), isView);
    if (!isView) return buffer;
    if (code === dataViewCode) return new DataView(buffer);
    const type = arrayTypes[code];
    if (type) return new type(buffer as ArrayBuffer);
    throw new PalimpsestError("CODEC", `an array of the value has the unknown type ${code}`);
  },
} as never);

const arrayClasses: ReadonlySet<unknown> = new Set([...arrayTypes, DataView, Buffer]);

// Without these two, the entries of a Map of a class that extends it would be lost, and a typed array of such a class
// could not be read. They arrive as what their class extends, as with structuredClone.
addExtension({
  Class: typeOf((value) => isEncoding && value instanceof Map && value.constructor !== Map),
  type: extension.map,
  write: (value: ReadonlyMap<unknown, unknown>) => [...value],
  read: (entries: readonly (readonly [unknown, unknown])[]) => new Map(entries),
} as never);

// The library's own form of errors has no place for the errors of an AggregateError.
addExtension({
  Class: typeOf((value) => isEncoding && value instanceof AggregateError),
  type: extension.aggregate,
  write: ({ errors, message, cause }: AggregateError) => [errors, message, cause],
  read: ([errors, message, cause]: readonly [readonly unknown[], string, unknown]) =>
    new AggregateError(errors, message, cause === undefined ? undefined : { cause }),
} as never);

addExtension({
  Class: typeOf(
    (value) =>
      isEncoding && ArrayBuffer.isView(value) && !arrayClasses.has(value.constructor) && !isLongArray(value),
  ),
  type: extension.subarray,
  pack: (value: ArrayBufferView) => {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return Buffer.concat([Buffer.from([arrayCode(value)]), bytes]);
  },
  unpack: (data: Uint8Array) => {
    const { buffer } = Uint8Array.from(data.subarray(1));
    if (data[0] === dataViewCode) return new DataView(buffer);
    const type = arrayTypes[data[0] ?? arrayTypes.length];
    if (type) return new type(buffer);
    throw new PalimpsestError("CODEC", `an array of the value has the unknown type ${data[0]}`);
  },
} as never);

// A function: the process that makes the snapshot of actors' processes has no SharedArrayBuffer.
const unsendable = () => [
  ...[WeakMap, WeakSet, WeakRef, Blob, SharedArrayBuffer],
  ...[Number, String, Boolean, BigInt, Symbol],
];
let listed: ReturnType<typeof unsendable> | undefined;

/** Returns the name of the class of a value that would arrive as an empty object; undefined for any other. */
export function unsendableClass(value: object): string | undefined {
  listed ??= unsendable();
  return listed.find((type) => value instanceof type)?.name;
}

// No message has this extension.
addExtension({
  Class: typeOf((value) => isEncoding && unsendableClass(value) !== undefined),
  type: extension.refused,
  pack: () => {
    throw new CannotTravel();
  },
} as never);
