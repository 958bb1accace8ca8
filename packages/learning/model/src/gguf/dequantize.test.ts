import { sha256Of } from "@palimpsest/std";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { float16Values } from "../files/float16.js";
import { type StorageType, storageTypes } from "./storage-type.js";

function typeNamed(name: string): StorageType {
  const found = [...storageTypes.values()].find((type) => type.name === name);
  if (found === undefined) throw new Error(`no type ${name}`);
  return found;
}

function dequantized(name: string, bytes: Uint8Array): Float32Array {
  const type = typeNamed(name);
  const values = new Float32Array((bytes.length / type.blockBytes) * type.blockValues);
  type.dequantize(bytes, values);
  return values;
}

/** Bytes of a linear congruential generator; half-precision scales at `halves` of each block made finite. */
function noise(type: StorageType, blocks: number, halves: readonly number[]): Uint8Array {
  let state = 1;
  const bytes = Uint8Array.from({ length: blocks * type.blockBytes }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  for (let block = 0; block < blocks; block++) {
    for (const at of halves) {
      const high = block * type.blockBytes + at + 1;
      bytes[high] = (bytes[high] as number) & 0xbf;
    }
  }
  return bytes;
}

/** Positive halves in rising order; entry b is bit pattern b. */
const halves = float16Values().subarray(0, 0x7c00);

/** Bits of the smallest half that is not below x ≥ 0. */
function halfAbove(x: number): number {
  const found = halves.findIndex((value) => value >= x);
  if (found < 0) throw new Error(`${x} is beyond the halves`);
  return found;
}

describe("dequantized blocks", () => {
  // First 16 digits of the SHA-256 over the float32 bytes that the gguf package (Python, 0.19.0) makes of
  // the same noise.
  it.each([
    ["F16", [0], "f576187d8ece39d0"],
    ["BF16", [0], "c0f339dfa7e50874"],
    ["Q4_0", [0], "be6a8d1c74c8c569"],
    ["Q4_1", [0, 2], "1a2cc12db20e1da1"],
    ["Q5_0", [0], "1699f61decf2bd53"],
    ["Q5_1", [0, 2], "ab2ddae628389be5"],
    ["Q8_0", [0], "88f88d2ae8ff0185"],
    ["Q2_K", [80, 82], "d6ae6bc4af51df88"],
    ["Q3_K", [108], "1b471cdfd05b53fd"],
    ["Q4_K", [0, 2], "074d7be41bb1d072"],
    ["Q5_K", [0, 2], "5ed5ef3e9314f52e"],
    ["Q6_K", [208], "d556909a6ab57c0a"],
  ] as const)("%s has the reference's bits on noise", (name, at, digest) => {
    const type = typeNamed(name);
    const values = dequantized(name, noise(type, type.blockValues === 1 ? 256 : 8, at));
    const hash = sha256Of(new Uint8Array(values.buffer));
    expect(hash.slice(0, 16)).toBe(digest);
  });

  it("halves take zeros of both signs, subnormals, infinities and NaN", () => {
    const bytes = new Uint8Array(
      new Uint16Array([0, 0x8000, 1, 0x03ff, 0x3c00, 0xc100, 0x7c00, 0xfc00]).buffer,
    );
    expect([...dequantized("F16", bytes)]).toEqual([
      0,
      -0,
      2 ** -24,
      1023 * 2 ** -24,
      1,
      -2.5,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
    expect(dequantized("F16", Uint8Array.of(1, 0x7c))[0]).toBeNaN();
  });

  it("Q4_1 is scale · nibble + minimum, low nibbles first", () => {
    const block = new Uint8Array(20);
    block.set([0x00, 0x38, 0x00, 0xc0]); // 0.5 and -2
    block.set([0x21, 0xf0], 4);
    const values = dequantized("Q4_1", block);
    expect([values[0], values[1], values[2]]).toEqual([0.5 * 1 - 2, 0.5 * 0 - 2, -2]);
    expect([values[16], values[17], values[18]]).toEqual([0.5 * 2 - 2, 0.5 * 15 - 2, -2]);
  });

  it("Q4_K takes the scales of its last sub-blocks from nibbles and upper bits", () => {
    const block = new Uint8Array(144);
    block.set([0x00, 0x3c, 0x00, 0x38]); // d 1, dmin 0.5
    // Sub-block 0: scale 3, minimum 5. Sub-block 4: scale 0b10_0110 = 38, minimum 0b01_1001 = 25.
    block[4] = 3 | (0b10 << 6);
    block[8] = 5 | (0b01 << 6);
    block[12] = 0b0110 | (0b1001 << 4);
    block[16] = 7; // sub-block 0, value 0
    block[16 + 64] = 9; // sub-block 4, value 0
    const values = dequantized("Q4_K", block);
    expect(values[0]).toBe(1 * 3 * 7 - 0.5 * 5);
    expect(values[4 * 32]).toBe(1 * 38 * 9 - 0.5 * 25);
    expect(values[4 * 32 + 1]).toBe(-0.5 * 25);
  });

  it("Q8_K is its float32 scale times signed bytes", () => {
    const block = new Uint8Array(292);
    new DataView(block.buffer).setFloat32(0, -0.75, true);
    block.set([3, 0xff, 0x80], 4);
    block.fill(0xee, 260); // The sums behind are ignored.
    const values = dequantized("Q8_K", block);
    expect([values[0], values[1], values[2], values[255]]).toEqual([-2.25, 0.75, 96, -0]);
  });

  it.each([
    ["Q4_0", 4, false],
    ["Q5_0", 5, false],
    ["Q8_0", 8, false],
    ["Q4_1", 4, true],
    ["Q5_1", 5, true],
  ] as const)("%s gives back what was quantized to within half a step", (name, bits, withMinimum) => {
    const type = typeNamed(name);
    const value = fc.double({ min: -100, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.array(value, { minLength: 32, maxLength: 32 }), (wanted) => {
        const span = withMinimum ? 2 ** bits - 1 : 2 ** (bits - 1) - 1;
        const lowest = Math.min(...wanted, 0);
        const minimumBits = halfAbove(-lowest);
        const minimum = withMinimum ? -(halves[minimumBits] as number) : 0;
        const reach = withMinimum
          ? Math.max(...wanted) - minimum
          : Math.max(...wanted.map((each) => Math.abs(each)));
        const scaleBits = halfAbove(reach / span);
        const scale = halves[scaleBits] as number;
        const quants = wanted.map((each) => (scale === 0 ? 0 : Math.round((each - minimum) / scale)));
        const block = new Uint8Array(type.blockBytes);
        const view = new DataView(block.buffer);
        view.setUint16(0, scaleBits, true);
        if (withMinimum) view.setUint16(2, minimumBits | 0x8000, true);
        const rest = withMinimum ? 4 : 2;
        quants.forEach((quant, i) => {
          if (bits === 8) {
            view.setInt8(rest + i, quant);
            return;
          }
          const unsigned = withMinimum ? quant : quant + 2 ** (bits - 1);
          const nibbles = rest + (bits === 5 ? 4 : 0) + (i % 16);
          block[nibbles] = (block[nibbles] as number) | ((unsigned & 15) << (i < 16 ? 0 : 4));
          if (bits === 5)
            view.setUint32(rest, (view.getUint32(rest, true) | ((unsigned >>> 4) << i)) >>> 0, true);
        });
        const bound = scale / 2 + 1e-4;
        dequantized(name, block).forEach((each, i) => {
          expect(Math.abs(each - (wanted[i] as number))).toBeLessThanOrEqual(bound);
        });
      }),
    );
  });
});
