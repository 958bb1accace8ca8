import { expect, test } from "vitest";
import { loadBackend } from "../backend/backend.js";
import { type HalfPiece, joinedOnHost, roundToHalf, widenHalf } from "../base/half.js";
import type { HostArray, StateSpec } from "../base/spec.js";
import { tf } from "../base/tf.js";
import { jit } from "./module.js";

const backend = await loadBackend({ prefer: "tensorflow" });
const functions = { keep: { inputs: {}, body: () => ({ outputs: { one: tf.scalar(1) } }) } };
const modes = ["eager", "graph", "xla"] as const;

/** Numbers of many exponents, ties of the rounding among them. */
function numbers(count: number, seed: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) =>
    i % 7 === 0 ? 1 + (2 * (i % 5) + 1) / 256 : Math.sin(i + seed) * 2 ** ((i % 40) - 20),
  );
}

function written(steps: Iterable<undefined>): void {
  for (const _ of steps);
}

function bytesOf(values: HostArray | undefined): Buffer {
  return values === undefined
    ? Buffer.alloc(0)
    : Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

/** Four rows of this many values are one piece, and the fifth another. */
const wide = 2 ** 23;

const joinedPieces = (pieces: Iterable<HalfPiece>) => {
  const all = [...pieces].map((piece) => {
    expect(piece.isFinite).toBe(true);
    return piece.bits;
  });
  const bits = new Uint16Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of all) {
    bits.set(piece, at);
    at += piece.length;
  }
  return { count: all.length, bits };
};

test.each(modes)("an entry is read as a write to bfloat16 rounds it, in mode %s", (mode) => {
  const state = {
    whole: { shape: [3, 5, 4], dtype: "float32", asHalf: "read" },
    half: { shape: [15, 4], dtype: "float32", stored: "bfloat16", asHalf: "read" },
  } satisfies Record<string, StateSpec>;
  const module = jit({ backend, mode, state, functions });
  expect(joinedPieces(module.readHalf("half")).bits).toEqual(new Uint16Array(60));
  const values = numbers(60, 1);
  module.writeState({ whole: values, half: values });
  const rounded = roundToHalf(values);
  for (const name of Object.keys(state)) expect(joinedPieces(module.readHalf(name)).bits).toEqual(rounded);
  if (mode !== "eager") expect(module.readState(["half"])["half"]).toEqual(widenHalf(rounded));
  module.dispose();
});

test.each(modes)("a piece says whether its values are finite after rounding, in mode %s", (mode) => {
  const state = {
    whole: { shape: [2, 2], dtype: "float32", asHalf: "read" },
    half: { shape: [2, 2], dtype: "float32", stored: "bfloat16", asHalf: "read" },
  } satisfies Record<string, StateSpec>;
  const module = jit({ backend, mode, state, functions });
  const largest = widenHalf(Uint16Array.of(0x7f7f))[0] as number;
  const rest = [-largest, 0, 2 ** -126];
  // The largest float32 number is finite, but rounds to an infinite bfloat16.
  const last = [Number.NaN, Number.POSITIVE_INFINITY, -3.4028234663852886e38, largest];
  for (const name of Object.keys(state)) {
    const finite = last.map((value) => {
      module.writeState({ [name]: Float32Array.of(...rest, value) });
      return [...module.readHalf(name)].map((piece) => piece.isFinite);
    });
    expect(finite).toEqual([[false], [false], [false], [true]]);
  }
  module.dispose();
});

test.each(modes)("pieces are read into memory that is given for them, in mode %s", (mode) => {
  const state = { whole: { shape: [4, 6], dtype: "float32", asHalf: "read" } } satisfies Record<
    string,
    StateSpec
  >;
  const module = jit({ backend, mode, state, functions });
  const values = numbers(24, 3);
  module.writeState({ whole: values });
  const memory = new Uint16Array(30);
  for (const { bits } of module.readHalf("whole", 0, (count) => memory.subarray(2, 2 + count)))
    expect(bits.buffer).toBe(memory.buffer);
  expect(memory).toEqual(Uint16Array.of(0, 0, ...roundToHalf(values), 0, 0, 0, 0));
  module.dispose();
});

test.each(["float32", "bfloat16"] as const)(
  "a large entry stored as %s is read in pieces, in order",
  (stored) => {
    const state = {
      large: { shape: [5, wide], dtype: "float32", stored, asHalf: "read" },
    } satisfies Record<string, StateSpec>;
    const module = jit({ backend, mode: "graph", state, functions });
    const values = new Float32Array(5 * wide).map((_, i) => i % 1013);
    module.writeState({ large: values });
    const { count, bits } = joinedPieces(module.readHalf("large"));
    expect(count).toBe(2);
    expect(Buffer.compare(Buffer.from(bits.buffer), Buffer.from(roundToHalf(values).buffer))).toBe(0);
    module.dispose();
  },
);

test.each(modes)("staged entries wait for their last steps side by side, in mode %s", (mode) => {
  const staged = { dtype: "float32", stored: "bfloat16", asHalf: "staged" } as const;
  const state = {
    first: { shape: [4, 6], ...staged },
    second: { shape: [4, 6], ...staged },
    joined: { shape: [3, 8], ...staged, joined: [4, 4] },
    other: { shape: [4, 6], dtype: "float32", asHalf: "written" },
  } satisfies Record<string, StateSpec>;
  const module = jit({ backend, mode, state, functions });
  const bits = [1, 2, 3].map((seed) => roundToHalf(numbers(24, seed)));
  const [first = new Uint16Array(), second = new Uint16Array(), other = new Uint16Array()] = bits;
  const scales = numbers(3, 5).map((value) => Math.sign(value));
  const late = new Uint16Array(12);
  const parts = {
    first: [{ bits: first }],
    second: [{ bits: second }],
    joined: [
      { bits: first.subarray(0, 12), scales },
      { bits: late, scales },
    ],
  };
  const copying = Object.entries(parts).map(([name, own]) => module.writeHalf(name, own)[Symbol.iterator]());
  const [, , joining] = copying;
  // An eager module copies nothing before the last step.
  const pieces = mode === "eager" ? [1, 1, 1] : [1, 1, 3];
  for (const [at, count] of pieces.entries()) {
    // The last piece is there only now.
    if (copying[at] === joining) late.set(second.subarray(0, 12));
    for (let piece = 0; piece < count; piece++) expect(copying[at]?.next().done).toBe(false);
  }
  written(module.writeHalf("other", [{ bits: other }]));
  const none = new Float32Array(24);
  expect(module.readState(["first", "second", "joined"])).toEqual({
    first: none,
    second: none,
    joined: none,
  });
  for (const one of copying) expect(one.next().done).toBe(true);
  const spec = { shape: [3, 8], dtype: "float32", joined: [4, 4] } as const;
  expect(module.readState()).toEqual({
    ...{ first: widenHalf(first), second: widenHalf(second), other: widenHalf(other) },
    joined: joinedOnHost(spec, parts.joined),
  });
  // Again, while nothing is left of the first time.
  written(module.writeHalf("first", [{ bits: second }]));
  expect(module.readState(["first"])["first"]).toEqual(widenHalf(second));
  module.dispose();
});

test.each(modes)("bits are written as they are, or scaled, joined and rounded once, in mode %s", (mode) => {
  const state = {
    whole: { shape: [4, 6], dtype: "float32", asHalf: "written" },
    half: { shape: [4, 6], dtype: "float32", stored: "bfloat16", asHalf: "written" },
    joined: { shape: [3, 8], dtype: "float32", asHalf: "written", joined: [4, 2, 2] },
    joinedHalf: { shape: [3, 8], dtype: "float32", stored: "bfloat16", asHalf: "written", joined: [4, 2, 2] },
  } satisfies Record<string, StateSpec>;
  const module = jit({ backend, mode, state, functions });
  const bits = roundToHalf(numbers(24, 2));
  written(module.writeHalf("whole", [{ bits }]));
  written(module.writeHalf("half", [{ bits }]));
  const read = module.readState(["whole", "half"]);
  expect(read["whole"]).toEqual(widenHalf(bits));
  expect(read["half"]).toEqual(widenHalf(bits));
  const widths = [4, 2, 2];
  const parts = widths.map((width, part) => ({
    bits: roundToHalf(numbers(3 * width, 3 + part)),
    scales: numbers(3, 9 + part),
  }));
  const wanted = new Float32Array(24);
  let left = 0;
  parts.forEach(({ bits: own, scales }, part) => {
    const width = widths[part] as number;
    widenHalf(own).forEach((value, i) => {
      wanted[Math.floor(i / width) * 8 + left + (i % width)] =
        value * (scales[Math.floor(i / width)] as number);
    });
    left += width;
  });
  for (const name of ["joined", "joinedHalf"]) written(module.writeHalf(name, parts));
  const joined = module.readState(["joined", "joinedHalf"]);
  expect(joined["joined"]).toEqual(wanted);
  expect(joined["joinedHalf"]).toEqual(mode === "eager" ? wanted : widenHalf(roundToHalf(wanted)));
  module.dispose();
});

test("large entries are written in pieces, and have their old values until the last", () => {
  const rows = 2 ** 12;
  const state = {
    plain: { shape: [rows, wide / 1024], dtype: "float32", stored: "bfloat16", asHalf: "written" },
    joined: {
      shape: [rows, 8192],
      dtype: "float32",
      stored: "bfloat16",
      asHalf: "written",
      joined: [6000, 2192],
    },
  } satisfies Record<string, StateSpec>;
  const module = jit({ backend, mode: "graph", state, functions });
  const some = (count: number) => new Uint16Array(count).map((_, i) => 0x3f00 + (i % 251));
  const ones = new Float32Array(rows).fill(1);
  const parts = [6000, 2192].map((width) => ({ bits: some(rows * width), scales: ones }));
  const given = { plain: [{ bits: some(rows * 8192) }], joined: parts };
  for (const [name, own] of Object.entries(given)) {
    const steps = [...module.writeHalf(name, own)].length;
    expect(steps).toBe(name === "plain" ? 2 : 4);
    expect(
      Buffer.compare(
        bytesOf(module.readState([name])[name]),
        bytesOf(joinedOnHost(state[name as keyof typeof state], own)),
      ),
    ).toBe(0);
  }
  const begun = module.writeHalf("plain", [{ bits: new Uint16Array(rows * 8192) }])[Symbol.iterator]();
  begun.next();
  expect(module.readState(["plain"])["plain"]?.[1]).toBe(widenHalf(Uint16Array.of(0x3f01))[0]);
  module.dispose();
});

test.each(modes)("what does not fit is refused by name, in mode %s", (mode) => {
  const state = {
    read: { shape: [2, 2], dtype: "float32", asHalf: "read" },
    written: { shape: [2, 4], dtype: "float32", asHalf: "written", joined: [2, 2] },
  } satisfies Record<string, StateSpec>;
  const module = jit({ backend, mode, state, functions });
  const bits = new Uint16Array(4);
  expect(() => [...module.readHalf("written")]).toThrow(/asHalf "read"/);
  expect(() => written(module.writeHalf("read", [{ bits }]))).toThrow(/asHalf "written"/);
  expect(() => written(module.writeHalf("written", [{ bits }, { bits }]))).toThrow(
    /takes 2 parts of 4, 4 values with 2 scales each, got 4 values and no scales/,
  );
  expect(() => written(module.writeHalf("other", [{ bits }]))).toThrow(/no entry "other"/);
  module.dispose();
  const odd = { odd: { shape: [2, 3], dtype: "float32", asHalf: "read" } } satisfies Record<
    string,
    StateSpec
  >;
  expect(() => jit({ backend, mode, state: odd, functions })).toThrow(/even last dimension/);
});

test("rounding keeps infinities and NaN apart", () => {
  const values = Float32Array.of(Number.NaN, Infinity, -Infinity, 3.4e38, -0, 1e-45);
  expect(widenHalf(roundToHalf(values))).toEqual(
    Float32Array.of(Number.NaN, Infinity, -Infinity, Infinity, -0, 0),
  );
});
