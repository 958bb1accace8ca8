import { float16Values } from "../files/float16.js";

/**
 * Dequantizes whole blocks of one storage type to float32. The values of block b begin at index b · (values per
 * block), and `bytes` contains exactly the blocks of `values`. Sums and products of the small integers and the
 * half-precision scales are exact in float64, so the only rounding is that to float32.
 */
export type Dequantize = (bytes: Uint8Array, values: Float32Array) => void;

/** Number of values in a block of the simple types. */
const BLOCK = 32;

export const copyFloat32: Dequantize = (bytes, values) => {
  const view = viewOf(bytes);
  for (let i = 0; i < values.length; i++) values[i] = view.getFloat32(i * 4, true);
};

export const widenFloat16: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let i = 0; i < values.length; i++) values[i] = half[word(bytes, i * 2)] as number;
};

/** bfloat16 is the upper half of a float32. */
export const widenBfloat16: Dequantize = (bytes, values) => {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < values.length; i++) words[i] = word(bytes, i * 2) << 16;
};

/** A block has a float16 scale d and 32 int8 values: d · q. */
export const dequantizeQ8_0: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 34, out += BLOCK) {
    const scale = half[word(bytes, at)] as number;
    for (let i = 0; i < BLOCK; i++) values[out + i] = scale * int8(bytes, at + 2 + i);
  }
};

/**
 * A block has a float16 scale d and 32 nibbles: d · (q − 8). The low nibbles are the first sixteen values, as in all
 * four types with nibbles.
 */
export const dequantizeQ4_0: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 18, out += BLOCK) {
    const scale = half[word(bytes, at)] as number;
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 2 + i] as number;
      values[out + i] = scale * ((pair & 15) - 8);
      values[out + 16 + i] = scale * ((pair >>> 4) - 8);
    }
  }
};

/** A block has a float16 scale d, a float16 minimum m and 32 nibbles: d · q + m. */
export const dequantizeQ4_1: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 20, out += BLOCK) {
    const scale = half[word(bytes, at)] as number;
    const minimum = half[word(bytes, at + 2)] as number;
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 4 + i] as number;
      values[out + i] = scale * (pair & 15) + minimum;
      values[out + 16 + i] = scale * (pair >>> 4) + minimum;
    }
  }
};

/** A block has a float16 scale d, 32 fifth bits and 32 nibbles: d · (q − 16). */
export const dequantizeQ5_0: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 22, out += BLOCK) {
    const scale = half[word(bytes, at)] as number;
    for (let i = 0; i < BLOCK; i++) values[out + i] = scale * (fiveBits(bytes, at + 2, i) - 16);
  }
};

/** A block has a float16 scale d, a float16 minimum m, 32 fifth bits and 32 nibbles: d · q + m. */
export const dequantizeQ5_1: Dequantize = (bytes, values) => {
  const half = float16Values();
  for (let at = 0, out = 0; out < values.length; at += 24, out += BLOCK) {
    const scale = half[word(bytes, at)] as number;
    const minimum = half[word(bytes, at + 2)] as number;
    for (let i = 0; i < BLOCK; i++) values[out + i] = scale * fiveBits(bytes, at + 4, i) + minimum;
  }
};

/** Returns value i of a block whose 4 bytes of fifth bits begin at `at` and are followed by 16 bytes of nibbles. */
function fiveBits(bytes: Uint8Array, at: number, i: number): number {
  const pair = bytes[at + 4 + (i & 15)] as number;
  const nibble = i < 16 ? pair & 15 : pair >>> 4;
  const fifth = ((bytes[at + (i >>> 3)] as number) >>> (i & 7)) & 1;
  return nibble | (fifth << 4);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads 16 bits, little-endian. */
export function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
}

export function int8(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 24) >> 24;
}
