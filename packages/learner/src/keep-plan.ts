import type { Keep } from "@palimpsest/jit";
import { type ModelConfig, parameterShapes } from "@palimpsest/model";
import { type Bucket, placesOf } from "./bucket.js";
import type { ResolvedLearnerConfig } from "./config.js";
import { shardCount } from "./shard-shape.js";
import { stateSpecs, storedBytes, trainedShapes } from "./state.js";

const HALF = 2;
const FLOAT = 4;
/** TensorFlow leaves a part of the device to others, and its allocator wastes some. */
const USABLE = 0.9;
/** Of what is free beside state and weights in bfloat16; the rest is for everything that passes. */
const KEPT_SHARE = 0.6;

/**
 * Decides what the gradient of a micro-batch's layers finds of their forward pass: what was asked for, or as much as
 * fits. Logits are computed again in any case: kept, they are copied into a stack and out of it, which costs as much.
 * @param deviceBytes memory of the GPU; absent: nobody knows, and nothing is kept unless it was asked for
 */
export function keepPlan(
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  bucket: Bucket,
  deviceBytes: number | undefined,
): Keep {
  const { keep } = config.memory;
  if (keep !== "auto") return keep;
  if (deviceBytes === undefined) return "nothing";
  const accumulates = config.memory.accumulators === "auto";
  const state = storedBytes(stateSpecs(model, config, { accumulates, shards: shardCount(config) }));
  const rounded = roundedBytes(model, config);
  const gradients = gradientBytes(model, config);
  const room = KEPT_SHARE * Math.max(0, USABLE * deviceBytes - state - rounded - gradients);
  return productBytes(model, placesOf(bucket)) <= room ? "products" : "nothing";
}

/**
 * Gradients of one micro-batch: added to sums, or as products give them. Replicas have them both as products give them and in
 * float32, in which they are summed.
 */
export function gradientBytes(model: ModelConfig, config: ResolvedLearnerConfig): number {
  const trained = countOf(Object.values(trainedShapes(model, config)));
  if (config.replicas > 1) return (HALF + FLOAT) * trained;
  return (config.memory.accumulators === "auto" ? FLOAT : HALF) * trained;
}

/**
 * Copies of weights in bfloat16 that a pass makes: what is trained is rounded; of a frozen base, which is stored so, projections
 * of one input are put side by side where they have no adapters, as in the reference's pass.
 */
export function roundedBytes(model: ModelConfig, config: ResolvedLearnerConfig): number {
  const { lora, reference } = config;
  const trained = countOf(Object.values(trainedShapes(model, config)));
  const isJoined = lora !== null && (reference !== "none" || lora.targets !== "all-linear");
  return HALF * (trained + (isJoined ? countOf(Object.values(parameterShapes(model))) : 0));
}

/** Results of products and of attention of all layers in bfloat16, and each layer's input in float32. */
export function productBytes(
  { hiddenSize: D, intermediateSize: F, heads, kvHeads, headDim, layers }: ModelConfig,
  tokens: number,
): number {
  const perToken = HALF * ((2 * heads + 2 * kvHeads) * headDim + D + 2 * F) + FLOAT * (D + heads);
  return layers * tokens * perToken;
}

/** Each layer's input in float32: all that is kept where layers are computed again. */
export function layerInputBytes({ hiddenSize, layers }: ModelConfig, tokens: number): number {
  return FLOAT * layers * tokens * hiddenSize;
}

/** Numbers in tensors of these shapes together. */
export function countOf(shapes: readonly (readonly number[])[]): number {
  return shapes.reduce((sum, shape) => sum + shape.reduce((product, size) => product * size, 1), 0);
}
