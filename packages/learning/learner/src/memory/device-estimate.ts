import type { Keep } from "@palimpsest/jit";
import type { ModelConfig } from "@palimpsest/model";
import { type Bucket, isPicked, placesOf, trainedTokensOf } from "../config/bucket.js";
import {
  type LearnerConfigInput,
  type ResolvedLearnerConfig,
  resolveLearnerConfig,
} from "../config/config.js";
import { logitsChunk } from "../config/memory-config.js";
import { shardCount } from "../state/shard-shape.js";
import { type StateKind, stateName, stateSpecs, storedBytes } from "../state/state.js";
import { gradientBytes, keepPlan, layerInputBytes, productBytes, roundedBytes } from "./keep-plan.js";

const FLOAT = 4;
const HALF = 2;
/**
 * Overhead on a GPU beyond the sum of the parts: workspace of kernels, and what the allocator wastes. On one H100 the sum of the parts was
 * 0.99 to 1.04 of what 0.5B, 3B and 4B parameters held with CUDA's own allocator, which takes what is used, and 0.82 of what 0.5B held with
 * TensorFlow's, which grows in steps (bench/results/gpu-shared.json).
 */
const OVERHEAD = 1.1;
/** The same for replicas that share their state: for 3B, 4B and 7B parameters on two H200 the sum was 1.01 to 1.02 of what was held. */
const SHARED_OVERHEAD = 1.05;

/** Bytes on a GPU by part, when it computes in bfloat16. */
export interface DeviceEstimate {
  /** Weights in float32; or adapters in float32 and their base in bfloat16; if sharded, all in bfloat16 and a share in float32. */
  readonly weightsBytes: number;
  /** If sharded, one replica's share; joined, it is not there at the same time as gradients. */
  readonly referenceBytes: number;
  /** Two moments of every trained parameter; if sharded, one replica's share. */
  readonly momentsBytes: number;
  /** Gradient accumulators, if there are any (if sharded, a share), and the gradients of one micro-batch: see `gradientBytes`. */
  readonly gradientsBytes: number;
  /** Copies of weights in bfloat16 that a pass makes. */
  readonly roundedBytes: number;
  /** Size of the values that the largest bucket's forward pass keeps for the gradient. */
  readonly keptBytes: number;
  readonly keep: Keep;
  /** One chunk of logits with its gradient, and the gradient of a trained head. */
  readonly logitsBytes: number;
  /** The sum of all parts, with the overhead of kernels and the allocator. */
  readonly totalBytes: number;
}

/**
 * Estimates the memory of a learner on a GPU that computes in bfloat16.
 * @param deviceBytes memory of the GPU, which decides `memory.keep: auto`; absent: nothing is kept
 * @throws {LearnerError} CONFIG_INVALID
 */
export function estimateDevice(
  model: ModelConfig,
  learner: LearnerConfigInput,
  deviceBytes?: number,
): DeviceEstimate {
  const config = resolveLearnerConfig(learner);
  const shards = shardCount(config);
  const accumulates = config.memory.accumulators === "auto";
  const specs = Object.entries(stateSpecs(model, config, { accumulates, shards }));
  const bytesOf = (kind: StateKind) =>
    storedBytes(Object.fromEntries(specs.filter(([name]) => name.startsWith(stateName(kind, "")))));
  const passing = config.buckets.map((bucket) => passingBytes(model, config, bucket, deviceBytes));
  const largest = passing.reduce((most, part) =>
    part.keptBytes + part.logitsBytes > most.keptBytes + most.logitsBytes ? part : most,
  );
  const parts = {
    weightsBytes: bytesOf("weights") + bytesOf("master"),
    referenceBytes: bytesOf("reference"),
    momentsBytes: bytesOf("moment1") + bytesOf("moment2"),
    gradientsBytes: bytesOf("gradient") + gradientBytes(model, config),
    roundedBytes: roundedBytes(model, config),
    keptBytes: largest.keptBytes,
    logitsBytes: largest.logitsBytes,
  };
  const sum = Object.values(parts).reduce((total, bytes) => total + bytes, 0);
  const overhead = shards > 1 ? SHARED_OVERHEAD : OVERHEAD;
  return { ...parts, keep: largest.keep, totalBytes: overhead * sum };
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
