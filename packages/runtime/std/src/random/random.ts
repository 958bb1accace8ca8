import { fnv1a32 } from "./mixing.js";

/**
 * Seeded random numbers: the same seed gives the same numbers on every machine and in every release.
 * Generator: sfc32 (Chris Doty-Humphrey, PractRand), 128 bits of state, period of at least 2^32. Seeding: FNV-1a over
 * the UTF-8 bytes of `seed` fills the state, then 16 outputs are discarded. Not for secrets. Initial weights, and the
 * learner, whose state is in checkpoints, use `xoshiro128`.
 */
export interface Random {
  /** Returns a whole number in [0, 2^32). */
  uint32(): number;
  /** Returns a number in [0, 1) with 53 random bits. */
  float(): number;
  /** Returns a whole number in [0, bound) without modulo bias, for a bound in [1, 2^32]. */
  below(bound: number): number;
  /** Returns one of the items, all equally likely. There must be at least one. */
  pick<T>(items: readonly T[]): T;
  /** Returns a new array with the items in random order (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[];
}

const twoTo32 = 2 ** 32;

/**
 * @param seed any number or text; `createRandom(7)` equals `createRandom("7")`. For several independent streams of one
 *   seed, name them: `createRandom(`${seed}/task/${index}`)`.
 */
export function createRandom(seed: number | string): Random {
  const bytes = new TextEncoder().encode(String(seed));
  let a = fnv1a32(bytes);
  let b = fnv1a32(bytes, 0x9e3779b9);
  let c = fnv1a32(bytes, 0x85ebca6b);
  let counter = 1;

  const uint32 = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 16; i++) uint32();

  let lastBound = 1;
  // Numbers from the last, incomplete segment of the bound are drawn again. The remainder of a division by a number of
  // more than 32 bits is slow, and most draws have the bound of the draw before.
  let limit = twoTo32;
  const below = (bound: number): number => {
    if (bound !== lastBound) {
      if (!Number.isInteger(bound) || bound < 1 || bound > twoTo32)
        throw new RangeError(`bound must be a whole number in [1, 2^32], got ${bound}`);
      lastBound = bound;
      limit = twoTo32 - (twoTo32 % bound);
    }
    let drawn = uint32();
    while (drawn >= limit) drawn = uint32();
    return drawn % bound;
  };

  return {
    uint32,
    below,
    float: () => ((uint32() >>> 5) * 2 ** 26 + (uint32() >>> 6)) / 2 ** 53,
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new RangeError("pick needs at least one item, got none");
      return items[below(items.length)] as T;
    },
    shuffle: <T>(items: readonly T[]): T[] => {
      const result = [...items];
      for (let i = result.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [result[i], result[j]] = [result[j] as T, result[i] as T];
      }
      return result;
    },
  };
}
