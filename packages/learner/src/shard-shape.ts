import type { ResolvedLearnerConfig } from "./config.js";

/** Among how many replicas each of the optimizer's moments is dealt out. */
export function shardCount({ replicas, memory }: Pick<ResolvedLearnerConfig, "replicas" | "memory">): number {
  return memory.optimizerState === "sharded" ? replicas : 1;
}

/** Shape of what a replica keeps of an entry. */
export function shardShape(shape: readonly number[], shards: number): readonly number[] {
  return shards === 1 ? shape : [Math.ceil(valuesIn(shape) / shards)];
}

export function valuesIn(shape: readonly number[]): number {
  return shape.reduce((product, dimension) => product * dimension, 1);
}
