import { splitmix32, xoshiro128 } from "@palimpsest/std/random";

/**
 * The learner's own random generator: xoshiro128** seeded by splitmix32. Its whole state is four words,
 * which a checkpoint stores, so that a resumed run draws the same numbers.
 */
export interface Random {
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** Shuffled copy (Fisher–Yates). */
  shuffle<T>(values: readonly T[]): T[];
  /** The four words, to be passed to `restoreRandom`. */
  state(): readonly number[];
}

export function createRandom(seed: number): Random {
  const word = splitmix32(seed);
  return restoreRandom([word(), word(), word(), word()]);
}

export function restoreRandom(state: readonly number[]): Random {
  const generator = xoshiro128(state);
  const below = (bound: number) => Math.floor((generator.next() / 2 ** 32) * bound);
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
    state: () => generator.state(),
  };
}
