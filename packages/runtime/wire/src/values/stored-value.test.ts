import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { decodeStored, decodeWhole, encodeLong, headBytes, storedValue, wholeOf } from "./stored-value.js";
import { decodeValue, encodeValue } from "./value.js";
import { markReference, type Reference } from "./value-extensions.js";

const noReferences = () => {
  throw new PalimpsestError("CODEC", "no references are expected");
};

function imageOf(value: unknown): Uint8Array {
  return wholeOf(storedValue(encodeLong(value)));
}

function bytesOf(array: ArrayBuffer | ArrayBufferView): Buffer {
  return ArrayBuffer.isView(array)
    ? Buffer.from(array.buffer, array.byteOffset, array.byteLength)
    : Buffer.from(array);
}

/** Makes values comparable whose bytes may arrive as a Buffer or as a plain array. */
function kindOf(array: ArrayBuffer | ArrayBufferView): unknown {
  return Buffer.isBuffer(array) ? Uint8Array : array.constructor;
}

describe("stored values", () => {
  test("come back equal, whatever arrays they have and wherever these stand", () => {
    const array = fc.oneof(
      fc.integer({ min: 0, max: 100_000 }).map((length) => new Float32Array(length).fill(1.5)),
      fc.integer({ min: 0, max: 100_000 }).map((length) => Buffer.alloc(length, length)),
      fc.integer({ min: 0, max: 100_000 }).map((length) => new BigInt64Array(length / 8).fill(-3n)),
      fc.integer({ min: 0, max: 100_000 }).map((length) => new Uint8Array(length).fill(length).buffer),
      fc.integer({ min: 0, max: 100_000 }).map((length) => new DataView(new ArrayBuffer(length))),
    );
    fc.assert(
      fc.property(fc.array(array, { maxLength: 6 }), (given) => {
        const value = { nested: given.map((one, index) => [index, { one }] as const) };
        const back = decodeWhole(imageOf(value), noReferences) as typeof value;
        // Compared as bytes, because comparing long arrays element by element takes minutes.
        const seen = back.nested.map(([, { one }]) => one);
        expect(seen.map(kindOf)).toEqual(given.map(kindOf));
        const differences = seen.map((one, index) =>
          Buffer.compare(bytesOf(one), bytesOf(given[index] ?? one)),
        );
        expect(differences).toEqual(given.map(() => 0));
      }),
      { numRuns: 60 },
    );
  });

  test("keep the kinds of long arrays, and of one that stands twice", () => {
    const shared = new Float64Array(10_000).fill(0.5);
    const view = new Uint8Array(new ArrayBuffer(200_000), 1_000, 100_000).fill(7);
    const back = decodeWhole(
      imageOf({ shared, again: shared, view, bytes: Buffer.alloc(40_000) }),
      noReferences,
    );
    const { shared: one, again, view: cut, bytes } = back as Record<string, Float64Array>;
    expect(one).toBeInstanceOf(Float64Array);
    expect(again).toBe(one);
    expect([cut?.byteLength, cut?.[0]]).toEqual([100_000, 7]);
    // Short arrays behave the same.
    expect(bytes?.constructor).toBe(Uint8Array);
  });

  test("do not copy long arrays, and align them", () => {
    const bytes = new Uint8Array(100_000);
    const { pieces, sizeBytes } = storedValue(encodeLong([bytes, bytes.subarray(1)]));
    expect(pieces.some((piece) => piece.buffer === bytes.buffer)).toBe(true);
    const { arrays } = decodeStored(pieces[0] ?? bytes, sizeBytes, noReferences);
    expect(arrays.map(({ offsetBytes }) => offsetBytes % 64)).toEqual([0, 0]);
  });

  test("bytes that are no value, or name arrays beyond their end, are a CODEC error", () => {
    expect(() => headBytes(new Uint8Array(8))).toThrowError(/\[CODEC\]/);
    expect(() => headBytes(new Uint8Array(3))).toThrowError(/\[CODEC\]/);
    const image = imageOf(new Uint8Array(100_000));
    expect(() => decodeWhole(image.subarray(0, 50_000), noReferences)).toThrowError(
      /extends beyond the object/,
    );
    expect(() => decodeWhole(image.subarray(0, 12), noReferences)).toThrowError(/\[CODEC\]/);
  });
});

describe("references in values", () => {
  const reference: Reference = { kind: "object", objectId: "ab".repeat(20), sizeBytes: 12 };
  const actor: Reference = { kind: "actor", actorId: "actor-1", maxTaskRetries: -1 };
  const object = new (class Ref {})();
  const handle = new Proxy({}, { get: () => () => undefined });
  markReference(object, reference);
  markReference(handle, actor);
  const value = { map: new Map([["a", [object]]]), list: [handle, object, 1], plain: "x" };

  test("travel at any depth and are told to whoever encodes and decodes", () => {
    const seen: Reference[] = [];
    const bytes = encodeValue(value, { onReference: (one) => seen.push(one) });
    expect(seen).toEqual([reference, actor]);
    const bound: Reference[] = [];
    const bind = (one: Reference) => {
      bound.push(one);
      return one;
    };
    const back = decodeValue(bytes, { bind }) as typeof value;
    expect(back).toEqual({ map: new Map([["a", [reference]]]), list: [actor, reference, 1], plain: "x" });
    // A value that appears twice is one object again.
    expect(back.map.get("a")?.[0]).toBe(back.list[1]);
    expect(bound).toEqual([reference, actor]);
  });

  test("are refused where nobody could hold them", () => {
    expect(() => encodeValue(value)).toThrowError(/\[INVALID_ARGUMENT\].*refers to an object/);
    const bytes = encodeValue([handle], { onReference: () => undefined });
    expect(() => decodeValue(bytes)).toThrowError(/\[CODEC\].*refers to an actor/);
    expect(encodeValue([1])).toEqual(encodeValue([1]));
  });

  test("carry no address and no token (VALUE-1)", () => {
    const bytes = Buffer.from(encodeValue([object, handle], { onReference: () => undefined }));
    expect(bytes.byteLength).toBeLessThan(70);
  });
});
