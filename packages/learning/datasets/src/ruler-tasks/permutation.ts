import { createRandom, lowBiasMix32 } from "@palimpsest/std/random";

/**
 * Creates a permutation of the whole numbers below `size` that is drawn from the seed and computed index by index,
 * without keeping the numbers in memory. It gives distinct keys, values and positions for documents of any length.
 *
 * The permutation is a Feistel network of four rounds over the next even number of bits. Results that are too large are
 * passed through it again.
 *
 * @param size in [1, 2^30]
 * @returns index in [0, size) -> number in [0, size)
 */
export function createPermutation(seed: string, size: number): (index: number) => number {
  const random = createRandom(`${seed}/permutation`);
  const half = Math.max(1, Math.ceil(Math.log2(Math.max(2, size)) / 2));
  const mask = (1 << half) - 1;
  const keys = Array.from({ length: 4 }, () => random.uint32());
  const once = (value: number): number => {
    let left = value >>> half;
    let right = value & mask;
    for (const key of keys) {
      const mixed = left ^ (lowBiasMix32(right ^ key) & mask);
      left = right;
      right = mixed;
    }
    return ((left << half) | right) >>> 0;
  };
  return (index) => {
    let value = once(index);
    while (value >= size) value = once(value);
    return value;
  };
}
