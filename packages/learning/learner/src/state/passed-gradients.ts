import { sizeOf } from "@palimpsest/jit";
import type { ModelConfig } from "@palimpsest/model";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { shardCount, shardShape } from "./shard-shape.js";
import { reduceTypeOf, stateName, trainedShapes } from "./state.js";

/** Small gradients travel together, in blocks of at most this size. */
const blockBytes = 16 * 2 ** 20;
/** What is read from the device in bfloat16 at once, and what is written. */
const pieceBytes = (64 + 32) * 2 ** 20;

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

/**
 * Returns the host memory of an exchange with other learners: a block of gradients is read while the one before it travels. In float32 it is
 * there once more as TensorFlow read it, and once as it is fed to the device; in bfloat16 these are pieces.
 */
export function exchangeHostBytes(model: ModelConfig, config: ResolvedLearnerConfig): number {
  const largest = (wanted: "float32" | "bfloat16", valueBytes: number) =>
    Math.max(
      0,
      ...passedGradients(model, config).entries.map(({ size, type }) =>
        type === wanted ? valueBytes * size : 0,
      ),
    );
  const floats = largest("float32", 4);
  const halves = largest("bfloat16", 2);
  return Math.max(
    4 * Math.max(blockBytes, floats),
    halves === 0 ? 0 : 2 * Math.max(blockBytes, halves) + pieceBytes,
  );
}

/** Returns the bytes of one learner's gradients as they travel. */
export function gradientBytes(model: ModelConfig, config: ResolvedLearnerConfig): number {
  const { shards, entries } = passedGradients(model, config);
  return entries.reduce((sum, { size, type }) => sum + shards * size * (type === "bfloat16" ? 2 : 4), 0);
}
