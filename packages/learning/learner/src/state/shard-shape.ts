import { sizeOf } from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "../config/config.js";

/** Number of replicas that share the optimizer's state: float32 weights, moments, accumulated gradients; and the reference. */
export function shardCount({ replicas, memory }: Pick<ResolvedLearnerConfig, "replicas" | "memory">): number {
  return memory.optimizerState === "sharded" ? replicas : 1;
}

/** Shape of a replica's shard of an entry. */
export function shardShape(shape: readonly number[], shards: number): readonly number[] {
  return shards === 1 ? shape : [Math.ceil(sizeOf(shape) / shards)];
}
