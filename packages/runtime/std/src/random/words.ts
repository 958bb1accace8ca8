/** A generator of random 32-bit words whose whole state is four words. */
export interface RandomWords {
  /** Whole number in [0, 2^32). */
  next(): number;
  /** The four words, from which `xoshiro128` can continue. */
  state(): readonly number[];
}

/**
 * xoshiro128**, used for initial weights and by the learner.
 * Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021.
 * @param words four words, not all 0
 */
export function xoshiro128(words: readonly number[]): RandomWords {
  let [a = 1, b = 2, c = 3, d = 4] = words;
  return {
    next() {
      const scrambled = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = rotateLeft(d, 11);
      return scrambled;
    },
    state: () => [a >>> 0, b >>> 0, c >>> 0, d >>> 0],
  };
}

/** splitmix32: expands one word to well-mixed words, to initialize the state of another generator. */
export function splitmix32(seed: number): () => number {
  let word = seed >>> 0;
  return () => {
    word = (word + 0x9e3779b9) >>> 0;
    let z = word;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}

/** mulberry32 (Ettinger, public domain): a stream of uniform numbers in [0, 1) whose whole state is one word. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
