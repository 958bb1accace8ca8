import { callSeed } from "@palimpsest/agents";

/**
 * Returns a source of random numbers in [0, 1) for one row of a scripted policy. They depend on the seed and the row's
 * index alone, and not on how many numbers other rows draw.
 */
export function policyDraws(seed: number, place: number): () => number {
  const rowSeed = callSeed(seed, place);
  let draws = 0;
  return () => callSeed(rowSeed, draws++) / 2 ** 31;
}
