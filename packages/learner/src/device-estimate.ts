import type { Keep } from "@palimpsest/jit";
import { type ModelConfig, parameterShapes } from "@palimpsest/model";
import { type Bucket, isPicked, placesOf, trainedTokensOf } from "./bucket.js";
import { type LearnerConfigInput, type ResolvedLearnerConfig, resolveLearnerConfig } from "./config.js";
import { countOf, keepPlan, layerInputBytes, productBytes } from "./keep-plan.js";
import { logitsChunk } from "./memory-config.js";
import { hasReferenceWeights, trainedShapes } from "./state.js";

const FLOAT = 4;
const HALF = 2;
/**
 * What a GPU takes beyond the sum of the parts: workspace of kernels and what the allocator wastes. Of three updates that were
 * measured (docs/jit.md) the estimate is between 0.7 and 1.1 of what TensorFlow's allocator held, which grows in steps and
 * so holds up to a third more than is used.
 */
const OVERHEAD = 1.15;

/** Bytes on a GPU by part, where it computes in bfloat16. */
export interface DeviceEstimate {
  /** Weights in float32, and adapters where there are any. */
  readonly weightsBytes: number;
  readonly referenceBytes: number;
  /** Two of everything that is trained. */
  readonly momentsBytes: number;
  /** Sums over micro-batches, and those of one micro-batch before they are added; without sums the latter, as products give them. */
  readonly gradientsBytes: number;
  /** Weights rounded to bfloat16, once for a pass. */
  readonly roundedBytes: number;
  /** What the gradient finds of the largest bucket's forward pass. */
  readonly keptBytes: number;
  readonly keep: Keep;
  /** One chunk of logits with its gradient, and the gradient of a trained head. */
  readonly logitsBytes: number;
  /** All of it, with what kernels and the allocator take besides. */
  readonly totalBytes: number;
}

/**
 * What a learner takes of a GPU that computes in bfloat16.
 * @param deviceBytes memory of the GPU, by which `memory.keep: auto` decides; absent: nothing is kept
 * @throws {LearnerError} CONFIG_INVALID
 */
export function estimateDevice(
  model: ModelConfig,
  learner: LearnerConfigInput,
  deviceBytes?: number,
): DeviceEstimate {
  const config = resolveLearnerConfig(learner);
  const all = countOf(Object.values(parameterShapes(model)));
  const trained = countOf(Object.values(trainedShapes(model, config)));
  const adapters = config.lora === null ? 0 : trained;
  const passing = config.buckets.map((bucket) => passingBytes(model, config, bucket, deviceBytes));
  const largest = passing.reduce((most, part) =>
    part.keptBytes + part.logitsBytes > most.keptBytes + most.logitsBytes ? part : most,
  );
  const parts = {
    weightsBytes: FLOAT * (all + adapters),
    referenceBytes: hasReferenceWeights(config) ? FLOAT * all : 0,
    momentsBytes: 2 * FLOAT * trained,
    gradientsBytes: (config.memory.accumulators === "none" ? HALF : 2 * FLOAT) * trained,
    roundedBytes: HALF * (all + adapters),
    keptBytes: largest.keptBytes,
    logitsBytes: largest.logitsBytes,
  };
  const sum = Object.values(parts).reduce((total, bytes) => total + bytes, 0);
  return { ...parts, keep: largest.keep, totalBytes: OVERHEAD * sum };
}

function passingBytes(
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  bucket: Bucket,
  deviceBytes: number | undefined,
): { readonly keep: Keep; readonly keptBytes: number; readonly logitsBytes: number } {
  const tokens = placesOf(bucket);
  const keep = keepPlan(model, config, bucket, deviceBytes);
  const keptBytes = keep === "products" ? productBytes(model, tokens) : layerInputBytes(model, tokens);
  const picked = isPicked(bucket) ? trainedTokensOf(bucket) : tokens;
  const chunk = Math.min(picked, logitsChunk(config.memory, model, true));
  const headGradients = config.lora === null ? 2 * FLOAT * model.vocabSize * model.hiddenSize : 0;
  return { keep, keptBytes, logitsBytes: 2 * HALF * chunk * model.vocabSize + headGradients };
}
