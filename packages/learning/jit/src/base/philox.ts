/*
 * Philox 4x32-10, the counter-based generator behind TensorFlow's StatelessRandomUniform, in the same order and with
 * the same conversion to float, so that backends without the operation give the same numbers.
 * Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011; TensorFlow's key scrambling.
 */

export const MULTIPLIERS = [0xd2511f53, 0xcd9e8d57] as const;
export const WEYL = [0x9e3779b9, 0xbb67ae85] as const;
export const ROUNDS = 10;
/** The key with which TensorFlow encrypts seeds. */
export const SCRAMBLE_KEY = [0x3ec8f720, 0x02461e29] as const;

/** Returns the upper 32 bits of the product of two unsigned 32-bit numbers. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const low = aLow * bLow;
  const middle = aHigh * bLow + (low >>> 16);
  const cross = aLow * bHigh + (middle % 0x10000);
  return (aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(cross / 0x10000)) >>> 0;
}

/** Computes one block: four unsigned 32-bit numbers from a counter and a key, written to `out`. */
function block(counter: Uint32Array, keyA: number, keyB: number, out: Uint32Array): void {
  let [c0 = 0, c1 = 0, c2 = 0, c3 = 0] = counter;
  let a = keyA;
  let b = keyB;
  for (let round = 0; round < ROUNDS; round += 1) {
    const highA = multiplyHigh(MULTIPLIERS[0], c0);
    const lowA = Math.imul(MULTIPLIERS[0], c0);
    const highB = multiplyHigh(MULTIPLIERS[1], c2);
    const lowB = Math.imul(MULTIPLIERS[1], c2);
    c0 = (highB ^ c1 ^ a) >>> 0;
    c1 = lowB >>> 0;
    c2 = (highA ^ c3 ^ b) >>> 0;
    c3 = lowA >>> 0;
    a = (a + WEYL[0]) >>> 0;
    b = (b + WEYL[1]) >>> 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/** Splits an int32 into the two words of a sign-extended 64-bit number. */
function words(value: number): [low: number, high: number] {
  return [value >>> 0, value < 0 ? 0xffffffff : 0];
}

/** Returns `size` numbers in [0, 1), multiples of 2^-23, for two int32 seeds. */
export function philoxUniform(size: number, seed0: number, seed1: number): Float32Array {
  const mixed = new Uint32Array(4);
  block(Uint32Array.of(...words(seed0), ...words(seed1)), ...SCRAMBLE_KEY, mixed);
  const [keyA = 0, keyB = 0, high0 = 0, high1 = 0] = mixed;
  const counter = Uint32Array.of(0, 0, high0, high1);
  const out = new Uint32Array(4);
  const values = new Float32Array(size);
  for (let start = 0; start < size; start += 4) {
    const index = start / 4;
    counter[0] = index >>> 0;
    counter[1] = Math.floor(index / 2 ** 32);
    block(counter, keyA, keyB, out);
    for (let lane = 0; lane < 4 && start + lane < size; lane += 1) {
      values[start + lane] = ((out[lane] ?? 0) & 0x7fffff) / 2 ** 23;
    }
  }
  return values;
}
