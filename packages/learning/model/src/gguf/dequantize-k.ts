import { float16Values } from "../files/float16.js";
import { type Dequantize, int8, viewOf, word } from "./dequantize-simple.js";

// The K types divide blocks of 256 values into 8 or 16 sub-blocks. Each sub-block has a small integer scale (and
// minimum) of its own, which is multiplied by the block's half-precision scale d (and dmin).

const BLOCK = 256;

/**
 * A block has 16 sub-blocks of 16 values with 2 bits per value: d · scale · q − dmin · min. Each of 16 bytes has the
 * scale of a sub-block in its low nibble and the minimum in its high nibble.
 */
export const dequantizeQ2_K: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 84, out += BLOCK) {
    const d = half[word(bytes, at + 80)] as number;
    const dmin = half[word(bytes, at + 82)] as number;
    for (let sub = 0; sub < 16; sub++) {
      const packed = bytes[at + sub] as number;
      const scale = d * (packed & 15);
      const minimum = dmin * (packed >>> 4);
      const { first, shift } = twoBitPlace(sub);
      for (let i = 0; i < 16; i++) {
        const q = ((bytes[at + 16 + first + i] as number) >>> shift) & 3;
        values[out + sub * 16 + i] = scale * q - minimum;
      }
    }
  }
};

/**
 * A block has 16 sub-blocks of 16 values with 3 bits per value: d · (scale − 32) · (q − 4). The third bits are in a
 * separate mask of 32 bytes.
 */
export const dequantizeQ3_K: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 110, out += BLOCK) {
    const d = half[word(bytes, at + 108)] as number;
    for (let sub = 0; sub < 16; sub++) {
      const nibbles = bytes[at + 96 + (sub & 7)] as number;
      const low = sub < 8 ? nibbles & 15 : nibbles >>> 4;
      const high = ((bytes[at + 104 + (sub & 3)] as number) >>> (2 * (sub >>> 2))) & 3;
      const scale = d * ((low | (high << 4)) - 32);
      const { first, shift } = twoBitPlace(sub);
      const maskByte = at + (first & 31);
      const maskBit = sub >>> 1;
      for (let i = 0; i < 16; i++) {
        const q = ((bytes[at + 32 + first + i] as number) >>> shift) & 3;
        const third = ((bytes[maskByte + i] as number) >>> maskBit) & 1;
        values[out + sub * 16 + i] = scale * ((q | (third << 2)) - 4);
      }
    }
  }
};

/**
 * Returns the first byte and the shift of the 2-bit parts of sub-block `sub` of 16 values. 128 values share 32 bytes,
 * and each byte contains one value of each of four consecutive runs of 32.
 */
function twoBitPlace(sub: number): { readonly first: number; readonly shift: number } {
  return { first: (sub >>> 3) * 32 + (sub & 1) * 16, shift: 2 * ((sub >>> 1) & 3) };
}

/** A block has 8 sub-blocks of 32 values with 4 bits per value: d · scale · q − dmin · min. */
export const dequantizeQ4_K: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 144, out += BLOCK) {
    const d = half[word(bytes, at)] as number;
    const dmin = half[word(bytes, at + 2)] as number;
    for (let sub = 0; sub < 8; sub++) {
      const scale = d * sixBitScale(bytes, at + 4, sub);
      const minimum = dmin * sixBitMinimum(bytes, at + 4, sub);
      const first = at + 16 + (sub >>> 1) * 32;
      for (let i = 0; i < 32; i++) {
        const pair = bytes[first + i] as number;
        values[out + sub * 32 + i] = scale * (sub & 1 ? pair >>> 4 : pair & 15) - minimum;
      }
    }
  }
};

/**
 * The layout is that of Q4_K plus 32 bytes with a fifth bit for each value: bit `sub` of byte i belongs to value i of
 * the sub-block.
 */
export const dequantizeQ5_K: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 176, out += BLOCK) {
    const d = half[word(bytes, at)] as number;
    const dmin = half[word(bytes, at + 2)] as number;
    for (let sub = 0; sub < 8; sub++) {
      const scale = d * sixBitScale(bytes, at + 4, sub);
      const minimum = dmin * sixBitMinimum(bytes, at + 4, sub);
      const first = at + 48 + (sub >>> 1) * 32;
      for (let i = 0; i < 32; i++) {
        const pair = bytes[first + i] as number;
        const fifth = ((bytes[at + 16 + i] as number) >>> sub) & 1;
        const q = (sub & 1 ? pair >>> 4 : pair & 15) | (fifth << 4);
        values[out + sub * 32 + i] = scale * q - minimum;
      }
    }
  }
};

/** A block has 16 sub-blocks of 16 values with 6 bits per value and an int8 scale each: d · scale · (q − 32). */
export const dequantizeQ6_K: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 210, out += BLOCK) {
    const d = half[word(bytes, at + 208)] as number;
    for (let i = 0; i < BLOCK; i++) {
      // Each half of the block has 64 bytes of nibbles, and 32 bytes with the upper two bits of its four runs of 32.
      const upper = i >>> 7;
      const run = (i >>> 5) & 3;
      const column = i & 31;
      const nibbles = bytes[at + upper * 64 + (run & 1) * 32 + column] as number;
      const low = run < 2 ? nibbles & 15 : nibbles >>> 4;
      const high = ((bytes[at + 128 + upper * 32 + column] as number) >>> (2 * run)) & 3;
      values[out + i] = d * int8(bytes, at + 192 + (i >>> 4)) * ((low | (high << 4)) - 32);
    }
  }
};

/** A block has a float32 scale d and 256 int8 values: d · q. The sums that follow them are not needed here. */
export const dequantizeQ8_K: Dequantize = (bytes, values) => {
  const view = viewOf(bytes);
  for (let at = 0, out = 0; out < values.length; at += 292, out += BLOCK) {
    const d = view.getFloat32(at, true);
    for (let i = 0; i < BLOCK; i++) values[out + i] = d * int8(bytes, at + 4 + i);
  }
};

// Twelve bytes contain eight 6-bit scales and eight 6-bit minima. Those of the first four sub-blocks are the low six
// bits of bytes 0–3 (scales) and 4–7 (minima). Those of the last four have their low four bits in bytes 8–11 (scales in
// the low nibbles, minima in the high ones) and their top two bits in the upper two bits of bytes 0–3 and 4–7.

function sixBitScale(bytes: Uint8Array, at: number, sub: number): number {
  if (sub < 4) return (bytes[at + sub] as number) & 63;
  return ((bytes[at + sub + 4] as number) & 15) | (((bytes[at + sub - 4] as number) >>> 6) << 4);
}

function sixBitMinimum(bytes: Uint8Array, at: number, sub: number): number {
  if (sub < 4) return (bytes[at + sub + 4] as number) & 63;
  return ((bytes[at + sub + 4] as number) >>> 4) | (((bytes[at + sub] as number) >>> 6) << 4);
}
