import { sizeOf } from "@palimpsest/jit";
import type { ModelConfig } from "@palimpsest/model";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { shardCount, shardShape } from "./shard-shape.js";
import { reduceTypeOf, stateName, trainedShapes } from "./state.js";

/** Returns the accumulated gradients that learners of several hosts sum, with the types in which they travel. */
export function passedGradients(model: ModelConfig, config: ResolvedLearnerConfig) {
  const shards = shardCount(config);
  const entries = Object.entries(trainedShapes(model, config)).map(([name, whole]) => {
    const shape = shardShape(whole, shards);
    return {
      name: stateName("gradient", name),
      size: sizeOf(shape),
      type: reduceTypeOf(name, shape, config),
    };
  });
  return { shards, entries };
}

/** Returns the bytes of one learner's gradients as they travel. */
export function gradientBytes(model: ModelConfig, config: ResolvedLearnerConfig): number {
  const { shards, entries } = passedGradients(model, config);
  return entries.reduce((sum, { size, type }) => sum + shards * size * (type === "bfloat16" ? 2 : 4), 0);
}
