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

/**
 * Seeded streams of normal numbers on the host: bits from xoshiro128**, transformed by Box–Muller. The same seed and
 * name give the same stream on every machine whose Math.log and Math.cos round alike.
 */
export function normalGenerator(seed: number, name: string): () => number {
  const nextUniform = uniformGenerator(seed, name);
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - nextUniform()));
    const angle = 2 * Math.PI * nextUniform();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** Uniform numbers in [0, 1) with 32 bits of resolution. */
function uniformGenerator(seed: number, name: string): () => number {
  // The state comes from splitmix32, seeded with the seed and an FNV-1a hash of the name.
  let mix = (Math.trunc(seed) ^ Math.trunc(seed / 2 ** 32)) >>> 0;
  for (let i = 0; i < name.length; i++) mix = Math.imul(mix ^ name.charCodeAt(i), 0x01000193) >>> 0;
  const word = splitmix32(mix);
  const generator = xoshiro128([word(), word(), word(), word() | 1]);
  return () => generator.next() / 2 ** 32;
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
