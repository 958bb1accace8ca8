import { createRandom } from "@palimpsest/trajectories/random";

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
      const mixed = left ^ (mix(right ^ key) & mask);
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

/** Hashes to 32 bits, each of which depends on every bit of the argument. */
function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
