/**
 * The learner's own random numbers: xoshiro128** seeded by splitmix32. All state is four words,
 * so a checkpoint holds it and a resumed run draws the same numbers.
 * Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021.
 */
export interface Random {
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** Shuffled copy (Fisher–Yates). */
  shuffle<T>(values: readonly T[]): T[];
  /** The four words; feed them to `restoreRandom`. */
  state(): readonly number[];
}

export function createRandom(seed: number): Random {
  let z = seed >>> 0;
  const words = Array.from({ length: 4 }, () => {
    z = (z + 0x9e3779b9) >>> 0;
    let t = z ^ (z >>> 16);
    t = Math.imul(t, 0x21f0aaad);
    t ^= t >>> 15;
    t = Math.imul(t, 0x735a2d97);
    return (t ^ (t >>> 15)) >>> 0;
  });
  return restoreRandom(words);
}

export function restoreRandom(state: readonly number[]): Random {
  let [a = 1, b = 2, c = 3, d = 4] = state;
  const rotate = (x: number, k: number) => ((x << k) | (x >>> (32 - k))) >>> 0;
  const next = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5) >>> 0, 7), 9) >>> 0;
    const t = (b << 9) >>> 0;
    c = (c ^ a) >>> 0;
    d = (d ^ b) >>> 0;
    b = (b ^ c) >>> 0;
    a = (a ^ d) >>> 0;
    c = (c ^ t) >>> 0;
    d = rotate(d, 11);
    return result;
  };
  const below = (bound: number) => Math.floor((next() / 2 ** 32) * bound);
  return {
    below,
    shuffle(values) {
      const result = [...values];
      for (let i = result.length - 1; i > 0; i--) {
        const j = below(i + 1);
        const held = result[i];
        const other = result[j];
        if (held === undefined || other === undefined) continue;
        result[i] = other;
        result[j] = held;
      }
      return result;
    },
    state: () => [a, b, c, d],
  };
}
