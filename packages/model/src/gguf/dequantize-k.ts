import { float16Values } from "../files/float16.js";
import { type Dequantize, int8, viewOf, word } from "./dequantize-simple.js";

// The K types: blocks of 256 values in 8 or 16 sub-blocks, each with a small integer scale (and minimum)
// of its own under the block's half-precision ones.

const BLOCK = 256;

/** 16 sub-blocks of 16, 2 bits a value: d · scale · q − dmin · min; 16 bytes of scale (low) and min (high nibble). */
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

/** 16 sub-blocks of 16, 3 bits a value: d · (scale − 32) · (q − 4); the third bits stand in a mask of 32 bytes. */
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
 * Where sub-block `sub` of 16 values has its 2-bit parts: 128 values share 32 bytes, each byte holding
 * one value of four consecutive runs of 32.
 */
function twoBitPlace(sub: number): { readonly first: number; readonly shift: number } {
  return { first: (sub >>> 3) * 32 + (sub & 1) * 16, shift: 2 * ((sub >>> 1) & 3) };
}

/** 8 sub-blocks of 32, 4 bits a value: d · scale · q − dmin · min. */
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

/** As Q4_K with a fifth bit of each value in 32 bytes: bit `sub` of byte i belongs to value i of the sub-block. */
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

/** 16 sub-blocks of 16, 6 bits a value, int8 scales: d · scale · (q − 32). */
export const dequantizeQ6_K: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 210, out += BLOCK) {
    const d = half[word(bytes, at + 208)] as number;
    for (let i = 0; i < BLOCK; i++) {
      // Each half of the block: 64 bytes of nibbles, 32 bytes of upper pairs of bits for its four runs of 32.
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

/** float32 scale d, 256 × int8, then sums that nobody needs here: d · q. */
export const dequantizeQ8_K: Dequantize = (bytes, values) => {
  const view = viewOf(bytes);
  for (let at = 0, out = 0; out < values.length; at += 292, out += BLOCK) {
    const d = view.getFloat32(at, true);
    for (let i = 0; i < BLOCK; i++) values[out + i] = d * int8(bytes, at + 4 + i);
  }
};

// Twelve bytes hold eight 6-bit scales and eight 6-bit minima: those of the first four sub-blocks in the low
// six bits of bytes 0–3 and 4–7; of the last four the low nibbles in bytes 8–11 and the top bits in the
// upper two bits of bytes 0–3 and 4–7.

function sixBitScale(bytes: Uint8Array, at: number, sub: number): number {
  if (sub < 4) return (bytes[at + sub] as number) & 63;
  return ((bytes[at + sub + 4] as number) & 15) | (((bytes[at + sub - 4] as number) >>> 6) << 4);
}

function sixBitMinimum(bytes: Uint8Array, at: number, sub: number): number {
  if (sub < 4) return (bytes[at + sub + 4] as number) & 63;
  return ((bytes[at + sub + 4] as number) >>> 4) | (((bytes[at + sub] as number) >>> 6) << 4);
}
