import type { Tensors } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import type { ModelConfig } from "../config.js";
import { logitsOf, rmsNorm, rotate } from "../forward.js";
import { type PackedTensor, packedName } from "./packed-weights.js";

/** One layer's heads after projection, head norm and rotation. */
export interface Heads {
  readonly queries: tf.Tensor;
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
}

/**
 * @param x   float32 [N, D], residual stream
 * @param lay turns [N, H+2KV, hd] into [A, H+2KV, T, hd] with A·T = N
 * @param cos float32, broadcasts to [A, 1, T, hd]
 * @returns queries [A, H, T, hd] scaled by 1/√hd, keys and values [A, KV, T, hd]
 */
export function layerHeads(
  state: Tensors,
  layer: number,
  x: tf.Tensor,
  config: ModelConfig,
  lay: (joint: tf.Tensor) => tf.Tensor,
  cos: tf.Tensor,
  sin: tf.Tensor,
): Heads {
  const { heads, kvHeads, headDim } = config;
  const product = tf.matMul(unitNorm(x, config), packed(state, "attentionIn", layer));
  const biased =
    config.architecture === "qwen2" ? product.add(packed(state, "attentionBias", layer)) : product;
  const joint = lay(biased.reshape([x.shape[0] as number, heads + 2 * kvHeads, headDim]));
  const plain = part(joint, 1, 0, heads + kvHeads);
  const normed =
    config.architecture === "qwen3"
      ? rmsNorm(plain, packed(state, "headNorm", layer), config.rmsNormEps)
      : plain;
  const turned = rotate(normed, cos, sin);
  return {
    queries: part(turned, 1, 0, heads).mul(1 / Math.sqrt(headDim)),
    keys: part(turned, 1, heads, kvHeads),
    values: part(joint, 1, heads + kvHeads, kvHeads),
  };
}

/**
 * Output projection and feed-forward with their residuals.
 * @param x     float32 [N, D]
 * @param mixed float32 [N, H·hd], what attention gathered
 */
export function afterAttention(
  state: Tensors,
  layer: number,
  x: tf.Tensor,
  mixed: tf.Tensor,
  config: ModelConfig,
): tf.Tensor {
  const attended = x.add(tf.matMul(mixed, packed(state, "attentionOut", layer)));
  const normed = unitNorm(attended, config);
  const gate = tf.matMul(normed, packed(state, "gate", layer));
  const gated = gate.mul(gate.sigmoid()).mul(tf.matMul(normed, packed(state, "up", layer)));
  return attended.add(tf.matMul(gated, packed(state, "down", layer)));
}

/** @param x float32 [N, D], before the final norm. @returns float32 [N, V] */
export function nextLogits(state: Tensors, x: tf.Tensor, config: ModelConfig): tf.Tensor {
  return logitsOf(state, rmsNorm(x, named(state, "finalNorm"), config.rmsNormEps), config);
}

/** x / √(mean(x²) + eps); the gain is in the weights behind it. */
function unitNorm(x: tf.Tensor, config: ModelConfig): tf.Tensor {
  return x.mul(x.square().mean(-1, true).add(config.rmsNormEps).rsqrt());
}

function packed(state: Tensors, tensor: PackedTensor, layer: number): tf.Tensor {
  return named(state, packedName(tensor, layer));
}

/** `size` entries of one axis from `begin` on. */
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
