import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeValue, encodeValue } from "./value.js";

test("structured data comes back equal", () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => !JSON.stringify(value).includes("__proto__")),
      (value) => {
        expect(decodeValue(encodeValue(value))).toEqual(JSON.parse(JSON.stringify(value)));
      },
    ),
  );
});

test("typed arrays, maps, sets, dates and big integers keep their type", () => {
  const value = {
    floats: new Float32Array([1.5, -2]),
    ints: new Int32Array([1, 2, 3]),
    bytes: new Uint8Array([0, 255]),
    map: new Map([["a", 1]]),
    set: new Set([1, 2]),
    date: new Date(1e12),
    absent: undefined,
    large: 2 ** 52,
  };
  const back = decodeValue(encodeValue(value)) as typeof value;
  expect(back.floats).toBeInstanceOf(Float32Array);
  expect([...back.floats]).toEqual([1.5, -2]);
  expect(back.ints).toBeInstanceOf(Int32Array);
  expect([...back.bytes]).toEqual([0, 255]);
  expect(back.map.get("a")).toBe(1);
  expect(back.set.has(2)).toBe(true);
  expect(back.date.getTime()).toBe(1e12);
  expect(back.absent).toBeUndefined();
  expect(back.large).toBe(2 ** 52);
});

test("a function anywhere near the surface is refused with its place", () => {
  expect(() => encodeValue([{ callback: () => 1 }])).toThrowError(/value\[0\]\.callback is a function/);
});

test("bytes that are no value are a CODEC error", () => {
  expect(() => decodeValue(new Uint8Array([0xc1, 1, 2]))).toThrowError(/\[CODEC\]/);
});

test("a key that would change a prototype arrives as another key", () => {
  const back = decodeValue(encodeValue(JSON.parse('{"__proto__": {"admin": true}}'))) as { admin?: boolean };
  expect(back.admin).toBeUndefined();
  expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
});
