import { type Keep, sizeOf } from "@palimpsest/jit";
import { attendsByKernel, type ModelConfig, parameterShapes } from "@palimpsest/model";
import { type Bucket, placesOf } from "../config/bucket.js";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { shardCount } from "../state/shard-shape.js";
import { stateSpecs, storedBytes, trainedShapes } from "../state/state.js";

const HALF = 2;
const FLOAT = 4;
/** TensorFlow leaves a part of the device's memory to others, and its allocator wastes some. */
const USABLE = 0.9;
/** Share of the memory that is free besides state and bfloat16 weights; the rest is for temporaries. */
const KEPT_SHARE = 0.6;

/**
 * Decides what the forward pass of a micro-batch's layers keeps for the gradient: the configured value, or as much as
 * fits. Logits are always recomputed: keeping them means copying them into a stack and out of it, which costs as much.
 * @param deviceBytes memory of the GPU; absent: unknown, so nothing is kept unless configured
 */
export function keepPlan(
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  bucket: Bucket,
  deviceBytes: number | undefined,
): Keep {
  const { keep } = config.memory;
  if (keep !== "auto") return keep;
  // Products would include the scores of attention, which only a kernel never stores.
  if (deviceBytes === undefined || !attendsByKernel(model, bucket.length)) return "nothing";
  const accumulates = config.memory.accumulators === "auto";
  const state = storedBytes(stateSpecs(model, config, { accumulates, shards: shardCount(config) }));
  const rounded = roundedBytes(model, config);
  const gradients = gradientBytes(model, config);
  const room = KEPT_SHARE * Math.max(0, USABLE * deviceBytes - state - rounded - gradients);
  return productBytes(model, placesOf(bucket)) <= room ? "products" : "nothing";
}

/**
 * Bytes of the gradients of one micro-batch: accumulated, or in the type that products return. Replicas that have all of them have both the
 * products' type and float32, in which gradients are summed; those that share them pass them on in the products' type.
 */
export function gradientBytes(model: ModelConfig, config: ResolvedLearnerConfig): number {
  const trained = countOf(Object.values(trainedShapes(model, config)));
  if (shardCount(config) > 1) return HALF * trained;
  if (config.replicas > 1) return (HALF + FLOAT) * trained;
  return (config.memory.accumulators === "auto" ? FLOAT : HALF) * trained;
}

/**
 * Bytes of the bfloat16 copies of weights that a pass makes: trained weights are rounded; a frozen base is stored in bfloat16, but
 * projections of one input are joined side by side if they have no adapters, as in the reference's pass. Where replicas share float32
 * weights, all but the embedding are stored in bfloat16, and nothing is joined.
 */
export function roundedBytes(model: ModelConfig, config: ResolvedLearnerConfig): number {
  const { lora, reference } = config;
  if (shardCount(config) > 1) return lora === null ? HALF * model.vocabSize * model.hiddenSize : 0;
  const trained = countOf(Object.values(trainedShapes(model, config)));
  const isJoined = lora !== null && (reference !== "none" || lora.targets !== "all-linear");
  return HALF * (trained + (isJoined ? countOf(Object.values(parameterShapes(model))) : 0));
}

/** Bytes of the results of products and of attention in all layers in bfloat16, and of each layer's input in float32. */
export function productBytes(
  { hiddenSize: D, intermediateSize: F, heads, kvHeads, headDim, layers }: ModelConfig,
  tokens: number,
): number {
  const perToken = HALF * ((2 * heads + 2 * kvHeads) * headDim + D + 2 * F) + FLOAT * (D + heads);
  return layers * tokens * perToken;
}

/** Bytes of each layer's input in float32, which is all that is kept if layers are recomputed. */
export function layerInputBytes({ hiddenSize, layers }: ModelConfig, tokens: number): number {
  return FLOAT * layers * tokens * hiddenSize;
}

/** Returns the total number of elements in tensors of these shapes. */
function countOf(shapes: readonly (readonly number[])[]): number {
  return shapes.reduce((sum, shape) => sum + sizeOf(shape), 0);
}
