import { type Tensors, tf, wideProducts } from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import { logitsOf } from "../../forward/forward.js";
import { plainGatedUnit } from "../../forward/gated-unit.js";
import { rmsNorm } from "../../forward/norm.js";
import { rotate } from "../../forward/rope.js";
import { withoutTokenless } from "../../tokens/tokenless-ids.js";
import { type AttentionWeights, isTransposed, type LayerWeights } from "./packed-weights.js";

/** With fewer rows oneDNN takes less time if transposed weights are the right factor. */
const leastRowsOnTheRight = 16;

/** A range of a layer's heads in the order queries, keys, values. */
export interface HeadRange {
  readonly first: number;
  readonly count: number;
}

/**
 * Projects to some of a layer's heads.
 * @param normed float32 [N, D]
 * @returns float32 [N, count, hd]
 */
export function projectHeads(
  weights: AttentionWeights,
  normed: tf.Tensor,
  { first, count }: HeadRange,
  config: ModelConfig,
): tf.Tensor {
  const { headDim } = config;
  const turned = isTransposed(weights, config);
  const matrix = part(weights.attentionIn, turned ? 0 : 1, first * headDim, count * headDim);
  const product = turned ? byTransposed(normed, matrix) : tf.matMul(normed, matrix);
  const { attentionBias } = weights;
  const biased =
    attentionBias === undefined
      ? product
      : product.add(part(attentionBias, 0, first * headDim, count * headDim));
  return biased.reshape([normed.shape[0] ?? 0, count, headDim]);
}

/**
 * Normalizes each query and key head, if the architecture does so, and rotates it.
 * @param y   float32 [A, count, T, hd], heads from `first` on
 * @param cos float32, broadcasts to [A, 1, T, hd]
 */
export function rotateHeads(
  weights: AttentionWeights,
  y: tf.Tensor,
  { first, count }: HeadRange,
  cos: tf.Tensor,
  sin: tf.Tensor,
  config: ModelConfig,
): tf.Tensor {
  if (weights.headNorm === undefined) return rotate(y, cos, sin);
  const gains = part(weights.headNorm, 0, first, count); // [count, 1, hd]
  return rotate(rmsNorm(y, gains, config.rmsNormEps), cos, sin);
}

/**
 * Applies the output projection and the feed-forward with their residuals.
 * @param x     float32 [N, D]
 * @param mixed float32 [N, H·hd], the output of attention
 */
export function afterAttention(
  weights: LayerWeights,
  x: tf.Tensor,
  mixed: tf.Tensor,
  config: ModelConfig,
): tf.Tensor {
  if (isTransposed(weights, config)) return afterAttentionTransposed(weights, x, mixed, config);
  const attended = withOutput(x, tf.matMul(mixed, weights.attentionOut), weights.attentionOutNorm, config);
  const normed = unitNorm(attended, config);
  const gated = plainGatedUnit(tf.matMul(normed, weights.gate), tf.matMul(normed, weights.up), config);
  return withOutput(attended, tf.matMul(gated, weights.down), weights.downNorm, config);
}

/** x + out, which is normalized first if the architecture does so. Both float32 [N, D]. */
export function withOutput(
  x: tf.Tensor,
  out: tf.Tensor,
  gain: tf.Tensor | undefined,
  { rmsNormEps }: ModelConfig,
): tf.Tensor {
  return x.add(gain === undefined ? out : rmsNorm(out, gain, rmsNormEps));
}

function afterAttentionTransposed(
  weights: LayerWeights,
  x: tf.Tensor,
  mixed: tf.Tensor,
  config: ModelConfig,
): tf.Tensor {
  const out = byTransposed(mixed, weights.attentionOut);
  const attended = withOutput(x, out, weights.attentionOutNorm, config);
  const normed = unitNorm(attended, config);
  const isRight = isRightFactor(normed);
  // Between its products the feed-forward stays [F, N] where that saves two transpositions.
  const into = (matrix: tf.Tensor) =>
    isRight ? tf.matMul(matrix, normed, false, true) : byTransposed(normed, matrix);
  const gated = plainGatedUnit(into(weights.gate), into(weights.up), config);
  const fed = isRight ? tf.matMul(weights.down, gated).transpose() : byTransposed(gated, weights.down);
  return withOutput(attended, fed, weights.downNorm, config);
}

/**
 * @param x      float32 [N, in]
 * @param matrix [out, in]
 * @returns float32 [N, out]
 */
function byTransposed(x: tf.Tensor, matrix: tf.Tensor): tf.Tensor {
  return isRightFactor(x) ? tf.matMul(matrix, x, false, true).transpose() : tf.matMul(x, matrix, false, true);
}

function isRightFactor(x: tf.Tensor): boolean {
  return (x.shape[0] ?? 0) >= leastRowsOnTheRight;
}

/** @param x float32 [N, D], before the final norm. @returns float32 [N, V] */
export function nextLogits(state: Tensors, x: tf.Tensor, config: ModelConfig): tf.Tensor {
  return wideProducts(() =>
    logitsOf(state, rmsNorm(x, named(state, "finalNorm"), config.rmsNormEps), config),
  );
}

/**
 * The same for pages. TensorFlow's float32 kernels take less time if the large matrix is the left factor, transposing the result
 * included: with SmolLM2's head and draw on one core 20 ms instead of 33 for 16 rows, 27 instead of 43 for 32, 95 instead of 104 for 128.
 */
export function pageLogits(state: Tensors, x: tf.Tensor, config: ModelConfig): tf.Tensor {
  const normed = rmsNorm(x, named(state, "finalNorm"), config.rmsNormEps);
  const head = named(state, config.tieWordEmbeddings ? "embedding" : "head");
  const product = wideProducts(() => tf.matMul(head, normed, false, true));
  return withoutTokenless(product.transpose(), config);
}

/** x / √(mean(x²) + eps); the gain is folded into the weights that follow. */
export function unitNorm(x: tf.Tensor, config: ModelConfig): tf.Tensor {
  return x.mul(x.square().mean(-1, true).add(config.rmsNormEps).rsqrt());
}

/** Slices `size` entries of one axis, from `begin` on. */
export function part(x: tf.Tensor, axis: number, begin: number, size: number): tf.Tensor {
  if (begin === 0 && size === x.shape[axis]) return x;
  const begins = x.shape.map((_, i) => (i === axis ? begin : 0));
  const sizes = x.shape.map((dimension, i) => (i === axis ? size : dimension));
  return x.slice(begins, sizes);
}

export function named(tensors: Tensors, name: string): tf.Tensor {
  const tensor = tensors[name];
  if (tensor === undefined)
    throw new Error(`internal: no tensor ${name} among ${Object.keys(tensors).join(", ")}`);
  return tensor;
}
