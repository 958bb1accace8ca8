import { callSeed } from "@palimpsest/agents";

/** Numbers in [0, 1) of one row of a scripted policy: the same for the same seed and place, whatever the other rows draw. */
export function policyDraws(seed: number, place: number): () => number {
  const rowSeed = callSeed(seed, place);
  let draws = 0;
  return () => callSeed(rowSeed, draws++) / 2 ** 31;
}
