import { fnv1a32, splitmix32, xoshiro128 } from "@palimpsest/std/random";

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
  const word = splitmix32(fnv1a32(name, Math.trunc(seed) ^ Math.trunc(seed / 2 ** 32)));
  const generator = xoshiro128([word(), word(), word(), word() | 1]);
  return () => generator.next() / 2 ** 32;
}
