import { sizeOf } from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "../config/config.js";

/** Number of replicas that share the optimizer's state: float32 weights, moments, accumulated gradients; and the reference. */
export function shardCount({ replicas, memory }: Pick<ResolvedLearnerConfig, "replicas" | "memory">): number {
  return memory.optimizerState === "sharded" ? replicas : 1;
}

/** Length of each shard of so many values: even, because bfloat16 numbers are read and written in pairs. */
export function shardLength(size: number, shards: number): number {
  return 2 * Math.ceil(size / (2 * shards));
}

/** Shape of a replica's shard of an entry. */
export function shardShape(shape: readonly number[], shards: number): readonly number[] {
  return shards === 1 ? shape : [shardLength(sizeOf(shape), shards)];
}
