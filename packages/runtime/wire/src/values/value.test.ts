import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeValue, encodePlain, encodeValue, isPlain } from "./value.js";

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

test("a bigint stays a bigint, of any size, and a number a number", () => {
  for (const value of [5n, -5n, 2n ** 53n + 1n, 2n ** 64n - 1n, -(2n ** 200n)]) {
    expect(decodeValue(encodeValue([value, new Map([[value, new Set([value])]])]))).toEqual([
      value,
      new Map([[value, new Set([value])]]),
    ]);
  }
  expect(decodeValue(encodeValue([2 ** 53, 2 ** 60]))).toEqual([2 ** 53, 2 ** 60]);
});

test("what a Map or Set holds keeps its type", () => {
  const value = new Map<unknown, unknown>([
    [{ key: 1 }, new Set([new Float32Array([1.5])])],
    ["bytes", new BigInt64Array([-1n])],
  ]);
  expect(decodeValue(encodeValue(value))).toEqual(value);
});

test("functions and symbols are refused at any depth with their place", () => {
  const code = () => 1;
  let deep: unknown = code;
  for (let depth = 0; depth < 50; depth++) deep = [0, deep];
  const wide = [...new Array<number>(500).fill(0), code];
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [[{ callback: code }], /value\[0\]\.callback is a function/],
    [deep, /value(\[1\]){50} is a function/],
    [wide, /value\[500\] is a function/],
    [{ map: new Map([["a", code]]) }, /value\.map\.values\(\)\[0\] is a function/],
    [new Map([[code, 1]]), /value\.keys\(\)\[0\] is a function/],
    [new Set([1, code]), /value\.values\(\)\[1\] is a function/],
    [{ tag: Symbol("tag") }, /value\.tag is a symbol/],
  ];
  for (const [value, message] of cases) {
    expect(() => encodeValue(value)).toThrowError(message);
    expect(decodeValue(encodeValue({ after: [1] }))).toEqual({ after: [1] });
  }
});

test("promises are refused at any depth with their place, and do not travel as empty objects", () => {
  const waiting = Promise.resolve(1);
  expect(() => encodeValue([waiting])).toThrow("value[0] is a promise: await it");
  expect(() => encodeValue({ list: [{ deep: waiting }] })).toThrow("value.list[0].deep is a promise");
  const cancellable = Object.assign(Promise.resolve(1), { cancel: () => undefined });
  expect(() => encodeValue([cancellable])).toThrow("value[0] is a promise");
});

test("bytes of a value do not keep the message that brought them", () => {
  const encoded = encodeValue([new Uint8Array(1_000).fill(7)]);
  const message = Buffer.alloc(1024 * 1024);
  message.set(encoded, 512);
  const [bytes] = decodeValue(message.subarray(512, 512 + encoded.byteLength)) as [Uint8Array];
  expect(bytes.byteLength).toBe(1_000);
  expect(bytes[999]).toBe(7);
  expect(bytes.buffer.byteLength).toBeLessThan(10_000);
});

test("bytes that are no value are a CODEC error", () => {
  expect(() => decodeValue(new Uint8Array([0xc1, 1, 2]))).toThrowError(/\[CODEC\]/);
});

test("a key that would change a prototype arrives as another key", () => {
  const back = decodeValue(encodeValue(JSON.parse('{"__proto__": {"admin": true}}'))) as { admin?: boolean };
  expect(back.admin).toBeUndefined();
  expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
});

test("plain values are the bytes that they are inside of others", () => {
  const item = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ minLength: 30, maxLength: 300 }),
    fc.double(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constantFrom(null, undefined, -0, Number.NaN, Number.POSITIVE_INFINITY),
  );
  fc.assert(
    fc.property(fc.oneof(item, fc.array(item, { maxLength: 16 })), (value) => {
      expect(isPlain(value)).toBe(true);
      const plain = Buffer.from(encodePlain(value));
      // A list with a map behind it is not plain.
      const whole = Buffer.from(encodeValue([value, new Map()]));
      const others = Buffer.from(encodeValue([new Map()]));
      expect(whole.subarray(1).equals(Buffer.concat([plain, others.subarray(1)]))).toBe(true);
    }),
  );
  for (const value of [
    {},
    [{}],
    [[1]],
    [1n],
    [() => 1],
    Symbol(),
    new Date(0),
    [new Uint8Array(1)],
    new Array(17).fill(1),
  ])
    expect(isPlain(value)).toBe(false);
});

class Table extends Map<unknown, unknown> {}
class Angles extends Float32Array {}
class Bytes extends Uint8Array {}

test("a Map and typed arrays of classes that extend them arrive as what they extend", () => {
  const table = new Table([
    ["a", 1],
    [{ key: 1 }, new Set([2])],
  ]);
  const back = decodeValue(encodeValue({ table, angles: Angles.of(1, 2), bytes: [Bytes.of(3)] }));
  expect(back).toEqual({ table: new Map(table), angles: Float32Array.of(1, 2), bytes: [Uint8Array.of(3)] });
  expect(decodeValue(encodeValue(Angles.of(1, 2)))).toEqual(Float32Array.of(1, 2));
});

test.each([
  ["WeakMap", new WeakMap()],
  ["Blob", new Blob(["x"])],
  ["SharedArrayBuffer", new SharedArrayBuffer(4)],
  ["Number", Object(1)],
  ["String", Object("s")],
  ["BigInt", Object(1n)],
])("a %s object is refused by its path, as it would arrive empty", (name, value) => {
  expect(() => encodeValue({ list: [1, { at: value }] })).toThrow(
    `value.list[1].at is a ${name} object, which cannot be sent`,
  );
});

test("a value of many undefined parts stores its long arrays once", () => {
  const long = new Float64Array(1_000).fill(1.5);
  const stored: Uint8Array[] = [];
  const encoding = {
    onReference: () => undefined,
    longArrayBytes: 1_000,
    onLongArray: (bytes: Uint8Array) => stored.push(bytes) - 1,
  };
  encodeValue({ long, list: new Array(200_000).fill(undefined) }, encoding);
  expect(stored.map((bytes) => bytes.byteLength)).toEqual([8_000]);
});

test("an array of which most is missing is refused by its path, in bounded time and memory", () => {
  const sparse = (length: number) => {
    const list: unknown[] = [];
    list[length - 1] = 1;
    return list;
  };
  for (const length of [1e5, 1e7, 2 ** 32 - 1])
    for (const [value, path] of [
      [sparse(length), "value"],
      [{ a: [sparse(length)] }, "value.a[0]"],
      [new Map([["k", sparse(length)]]), "value.values()[0]"],
      [[sparse(length), () => 1], "value[0]"],
      [new Proxy(sparse(length), {}), "value"],
    ] as const)
      expect(() => encodeValue(value)).toThrow(
        `${path} is an array of ${length} items, of which more than 65536 are missing: send a Map`,
      );
  // Fewer holes, and items that are undefined, arrive as undefined.
  for (const list of [new Array(17), sparse(60_000), new Array(200_000).fill(undefined)]) {
    const back = decodeValue(encodeValue([list, new Map()])) as [unknown[]];
    expect(back[0].length).toBe(list.length);
    expect(back[0].at(-1)).toBe(list.at(-1));
  }
});

test("what throws while it is read is refused by its path, and the next value is encoded", () => {
  const boom = () => {
    throw new Error("boom");
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const cases: readonly (readonly [unknown, string])[] = [
    [
      {
        a: [
          {
            get b() {
              return boom();
            },
          },
        ],
      },
      "value.a[0].b cannot be read: boom",
    ],
    [{ a: new Proxy({}, { ownKeys: boom }) }, "value.a cannot be read: boom"],
    [[new Proxy({ x: 1 }, { get: boom })], "value[0] cannot be read: boom"],
    [[revoked.proxy], "value[0] cannot be read: "],
    [[new Proxy(new Map([[1, 2]]), {})], "value[0] cannot be read: "],
    [
      [
        {
          toJSON: undefined,
          get z() {
            throw null;
          },
        },
      ],
      "value[0].z cannot be read: null",
    ],
  ];
  for (const [value, message] of cases) {
    expect(() => encodeValue(value)).toThrow(`[INVALID_ARGUMENT] ${message}`);
    expect(decodeValue(encodeValue({ after: [1] }))).toEqual({ after: [1] });
  }
});

test("a value that is nested too deep is refused with its depth and a short path", () => {
  for (const wrap of [(inner: unknown): unknown => [inner], (inner: unknown): unknown => ({ inner })]) {
    let deep: unknown = "leaf";
    for (let level = 0; level < 100_000; level++) deep = wrap(deep);
    expect(() => encodeValue(deep)).toThrow(
      /^.{200,3000} is 99999 levels deep in the value, too many to be sent/,
    );
  }
});

/** Returns a clone as the contract promises it: what it lists as not equal is replaced by what arrives. */
function promised(value: unknown, seen = new Map<unknown, unknown>()): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Object.is(value, -0)) return 0;
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  const keep = <Kind extends object>(copy: Kind, fill: (copy: Kind) => void): Kind => {
    seen.set(value, copy);
    fill(copy);
    return copy;
  };
  const each = (one: unknown) => promised(one, seen);
  if (Array.isArray(value))
    return keep([] as unknown[], (copy) => void copy.push(...Array.from(value, each)));
  if (value instanceof Map)
    return keep(new Map(), (copy) => {
      for (const [key, one] of value) copy.set(each(key), each(one));
    });
  if (value instanceof Set)
    return keep(new Set(), (copy) => {
      for (const one of value) copy.add(each(one));
    });
  if (ArrayBuffer.isView(value) || value instanceof Date) return structuredClone(value);
  return keep({} as Record<string, unknown>, (copy) => {
    for (const [key, one] of Object.entries(value))
      copy[key === "__proto__" ? "__proto_" : key.toWellFormed()] = each(one);
  });
}

test("a value without an end is refused, as where getters make a new part whenever they are read", () => {
  const endless = (): object => ({
    get next() {
      return endless();
    },
  });
  expect(() => encodeValue({ row: endless() })).toThrow(
    /^\[INVALID_ARGUMENT\] value\.row\.next.* levels deep/,
  );
});

test("a value comes back as structuredClone copies it, but for what the contract lists", async () => {
  const values = fc.anything({
    key: fc.string({ unit: "binary" }),
    values: [
      fc.string({ unit: "binary" }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constant(undefined),
    ],
    ...{ withBigInt: true, withDate: true, withMap: true, withSet: true },
    ...{ withTypedArray: true, withSparseArray: true, maxDepth: 4 },
  });
  await fc.assert(
    fc.property(values, (value) => {
      const back = decodeValue(encodeValue(value));
      expect(back).toStrictEqual(promised(structuredClone(value)));
    }),
    { numRuns: 500 },
  );
});

test("an AggregateError keeps its message and its errors, at any depth", () => {
  const inner = new AggregateError([new TypeError("first"), "no error"], "all failed", { cause: "why" });
  const back = decodeValue(encodeValue({ list: [inner] })) as { list: AggregateError[] };
  const [error] = back.list;
  expect(error).toBeInstanceOf(AggregateError);
  expect(error).toMatchObject({
    message: "all failed",
    cause: "why",
    errors: [{ name: "TypeError", message: "first" }, "no error"],
  });
});
