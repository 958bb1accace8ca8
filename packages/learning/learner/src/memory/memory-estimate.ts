import { sizeOf } from "@palimpsest/jit";
import { adaptedBaseShapes, type LoraConfig, type ModelConfig, parameterShapes } from "@palimpsest/model";
import { type Bucket, isPicked, placesOf, rowsOf, sharingOf, trainedTokensOf } from "../config/bucket.js";
import {
  type LearnerConfigInput,
  type ResolvedLearnerConfig,
  resolveLearnerConfig,
} from "../config/config.js";
import { applyParts, forwardForm, logitsChunk } from "../config/memory-config.js";
import { hasReferenceWeights, trainedShapes } from "../state/state.js";

/** The settings of a sampler that determine its memory. */
export interface SamplerMemory {
  readonly maxBatch?: number | undefined;
  readonly maxLength: number;
  /** Number of tokens whose keys and values are cached; default maxBatch · maxLength. */
  readonly cacheTokens?: number | undefined;
}

/** Bytes by part; of the temporary parts `step` and `apply`, the larger one counts. */
export interface MemoryEstimate {
  /** The process itself: Node, TensorFlow, what allocators keep. */
  readonly processBytes: number;
  /** Weights as they were loaded into host memory, as long as the caller keeps them. */
  readonly hostBytes: number;
  readonly weightsBytes: number;
  readonly referenceBytes: number;
  readonly momentsBytes: number;
  readonly gradientsBytes: number;
  /** Temporary: new gradients before they are added, activations, logits of one micro-batch. */
  readonly stepBytes: number;
  readonly stepParts: {
    readonly gradientsBytes: number;
    readonly activationsBytes: number;
    readonly logitsBytes: number;
  };
  /** Temporary: the optimizer's intermediate tensors. */
  readonly applyBytes: number;
  /** Weights of the sampler; with adapters also their base, into which the sampler merges them. */
  readonly samplerWeightsBytes: number;
  readonly samplerCacheBytes: number;
  /** The peak of all parts together in one process. */
  readonly totalBytes: number;
}

const FLOAT = 4;
const PROCESS_BYTES = 400 * 2 ** 20;
/** Number of tensors of a part's size that exist at once while it is applied, besides state. */
const APPLY_TENSORS = 5;
/** Number of tensors of the size of the logits: the logits, their softmax and the gradients of both. */
const LOGITS_TENSORS = 4;
/** Number of tensors of the size of the attention scores, for the scores, their softmax and the gradients of both. */
const SCORE_TENSORS = 5;

/**
 * Estimates the memory of training a model on a CPU, and of a sampler of it in the same process if one is given. Compared with
 * the peak resident set of updates of 135M and 494M parameters it was within 12 % with layers as a loop, and 29 % above it
 * unrolled: see bench/memory.ts. A sampler of a small model takes more, for its many compiled shapes.
 * @throws {LearnerError} CONFIG_INVALID
 */
export function estimateMemory(
  model: ModelConfig,
  learner: LearnerConfigInput,
  sampler?: SamplerMemory,
): MemoryEstimate {
  const config = resolveLearnerConfig(learner);
  const all = bytesOf(parameterShapes(model));
  const trained = bytesOf(trainedShapes(model, config));
  const adapters = config.lora === null ? 0 : trained;
  const steps = config.buckets.map((bucket) => stepParts(model, config, bucket));
  const total = (part: (typeof steps)[number]): number =>
    part.gradientsBytes + part.activationsBytes + part.logitsBytes;
  const largest = steps.reduce((most, part) => (total(part) > total(most) ? part : most));
  const shapes = trainedShapes(model, config);
  const parts = applyParts(config.memory, shapes).map((names) =>
    names.reduce((sum, name) => sum + bytesOf({ [name]: shapes[name] ?? [] }), 0),
  );
  const standing = {
    processBytes: PROCESS_BYTES,
    hostBytes: all,
    weightsBytes: all + adapters,
    referenceBytes: hasReferenceWeights(config) ? all : 0,
    momentsBytes: 2 * trained,
    gradientsBytes: trained,
    ...samplerParts(model, config.lora, sampler),
  };
  const passing = { stepBytes: total(largest), applyBytes: APPLY_TENSORS * Math.max(...parts) };
  const totalBytes =
    Object.values(standing).reduce((sum, bytes) => sum + bytes, 0) +
    Math.max(passing.stepBytes, passing.applyBytes);
  return { ...standing, ...passing, stepParts: largest, totalBytes };
}

function bytesOf(shapes: Readonly<Record<string, readonly number[]>>): number {
  return Object.values(shapes).reduce((sum, shape) => sum + FLOAT * sizeOf(shape), 0);
}

function stepParts(
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  bucket: Bucket,
): MemoryEstimate["stepParts"] {
  const { hiddenSize: D, intermediateSize: F, heads, kvHeads, headDim, vocabSize, layers } = model;
  const width = isPicked(bucket) ? bucket.length : bucket.length - 1;
  const sharing = sharingOf(bucket);
  const tokens = sharing === undefined ? bucket.rows * width : placesOf(bucket);
  const shape = sharing ?? { prompts: bucket.rows, promptLength: width };
  const { prompts, promptLength } = shape;
  const { layers: kind, attentionBlock, replyBlock } = forwardForm(config.memory, model, shape);
  const ofPrompts = prompts * heads * Math.min(attentionBlock ?? promptLength, promptLength) * promptLength;
  const { replyLength = 0 } = sharing ?? {};
  const ofReplies = bucket.rows * heads * Math.min(replyBlock ?? replyLength, replyLength) * bucket.length;
  // Blocks are computed one after another, and keep nothing for the gradient.
  const isBlocked = attentionBlock !== undefined && replyBlock !== undefined;
  const scores = SCORE_TENSORS * (isBlocked ? Math.max(ofPrompts, ofReplies) : ofPrompts + ofReplies);
  // The values that one block's forward pass keeps for its gradient; the gradients take about half of that again.
  const kept = tokens * (6 * D + 5 * F + 4 * (heads + 2 * kvHeads) * headDim);
  const ownScores = attentionBlock === undefined ? ofPrompts + ofReplies : 0;
  const products =
    config.memory.keep === "products"
      ? tokens * (2 * (heads + kvHeads) * headDim + 2 * D + 2 * F) + ownScores
      : 0;
  const blocks =
    kind === "scan" ? layers * (tokens * D + products) + 1.5 * kept + scores : layers * (kept + scores / 2);
  const picked = isPicked(bucket) ? trainedTokensOf(bucket) : tokens;
  const chunk = Math.min(picked, logitsChunk(config.memory, model));
  const head = vocabSize * D;
  // A trained head has two gradients at once, the sum over chunks and one chunk's share, besides the embedding's own.
  const headGradients = config.lora === null ? 2 * head : 0;
  const losses = 20 * rowsOf(bucket) * (bucket.length - 1);
  return {
    gradientsBytes: bytesOf(trainedShapes(model, config)),
    activationsBytes: FLOAT * (blocks + 4 * tokens * D + losses),
    logitsBytes: FLOAT * (LOGITS_TENSORS * chunk * vocabSize + headGradients),
  };
}

function samplerParts(
  model: ModelConfig,
  lora: LoraConfig | null,
  sampler: SamplerMemory | undefined,
): { readonly samplerWeightsBytes: number; readonly samplerCacheBytes: number } {
  if (sampler === undefined) return { samplerWeightsBytes: 0, samplerCacheBytes: 0 };
  const { maxBatch = 64, maxLength, cacheTokens = maxBatch * maxLength } = sampler;
  const tokenBytes = FLOAT * 2 * model.layers * model.kvHeads * model.headDim;
  return {
    samplerWeightsBytes:
      bytesOf(parameterShapes(model)) + (lora === null ? 0 : bytesOf(adaptedBaseShapes(model, lora))),
    samplerCacheBytes: cacheTokens * tokenBytes,
  };
}
