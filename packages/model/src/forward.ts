import * as tf from "@tensorflow/tfjs";
import { type ModelConfig, queryGroup } from "./config.js";
import { ModelError } from "./error.js";
import { ropeTables } from "./rope.js";

/** Weights as tensors by the names of `parameterShapes`. */
export type ParameterTensors = Readonly<Record<string, tf.Tensor>>;

/** Weights of one block by the names of `parameterShapes` without `layers.`, first axis gone. */
export type LayerTensors = Readonly<Record<string, tf.Tensor>>;

/** What every block of one sequence length shares; made once a forward pass. */
export interface SequenceConstants {
  readonly cos: tf.Tensor; // [1, 1, T, headDim]
  readonly sin: tf.Tensor; // [1, 1, T, headDim]
  readonly causalMask: tf.Tensor; // [1, 1, T, T], 0 where a position may look, else -1e9
}

/** x / √(mean(x²) + eps) · gain over the last axis. */
export function rmsNorm(x: tf.Tensor, gain: tf.Tensor, eps: number): tf.Tensor {
  return x.mul(x.square().mean(-1, true).add(eps).rsqrt()).mul(gain);
}

/** Turns each pair (i, i + headDim / 2) of the last axis by its position's angle; tables of `ropeTables`. */
export function rotate(x: tf.Tensor, cos: tf.Tensor, sin: tf.Tensor): tf.Tensor {
  const [first, second] = tf.split(x, 2, -1) as [tf.Tensor, tf.Tensor];
  return x.mul(cos).add(tf.concat([second, first], -1).mul(sin));
}

/** silu(x·gate) · (x·up) · down on rows [N, D]. */
export function feedForward(x: tf.Tensor, layer: LayerTensors): tf.Tensor {
  const gate = tf.matMul(x, weight(layer, "gate")); // [N, F]
  const gated = gate.mul(gate.sigmoid()).mul(tf.matMul(x, weight(layer, "up")));
  return tf.matMul(gated, weight(layer, "down")); // [N, D]
}

export function sequenceConstants(config: ModelConfig, length: number): SequenceConstants {
  const { cos, sin } = ropeTables(config, length);
  const shape: [number, number, number, number] = [1, 1, length, config.headDim];
  // From two ranges and a comparison: a [T, T] constant would be baked into the graph.
  const positions = tf.range(0, length, 1, "int32");
  const later = positions.reshape([1, 1, 1, length]).greater(positions.reshape([1, 1, length, 1]));
  return {
    cos: tf.tensor4d(cos, shape),
    sin: tf.tensor4d(sin, shape),
    causalMask: later.toFloat().mul(-1e9),
  };
}

/**
 * One decoder block over whole sequences; differentiable in `x` and every tensor of `layer`.
 * @param x float32 [B·T, D]
 * @returns float32 [B·T, D]
 */
export function block(
  x: tf.Tensor,
  layer: LayerTensors,
  constants: SequenceConstants,
  config: ModelConfig,
  batch: number,
  length: number,
): tf.Tensor {
  const { heads, kvHeads, headDim, rmsNormEps } = config;
  const group = queryGroup(config);
  const normed = rmsNorm(x, weight(layer, "attentionNorm"), rmsNormEps); // [B·T, D]
  const project = (name: "query" | "key" | "value", headCount: number): tf.Tensor => {
    const flat = projected(normed, layer, name); // [B·T, n·headDim]
    return flat.reshape([batch, length, headCount, headDim]).transpose([0, 2, 1, 3]); // [B, n, T, headDim]
  };
  const turn = (y: tf.Tensor, gain: tf.Tensor | undefined): tf.Tensor =>
    rotate(gain === undefined ? y : rmsNorm(y, gain, rmsNormEps), constants.cos, constants.sin);
  // Query heads of one group become rows of one matrix, so that keys are never repeated.
  const query = turn(project("query", heads), layer["queryNorm"]).reshape([
    batch * kvHeads,
    group * length,
    headDim,
  ]);
  const key = turn(project("key", kvHeads), layer["keyNorm"]).reshape([batch * kvHeads, length, headDim]);
  const value = project("value", kvHeads).reshape([batch * kvHeads, length, headDim]);
  const scores = tf
    .matMul(query, key, false, true)
    .mul(1 / Math.sqrt(headDim))
    .reshape([batch * kvHeads, group, length, length])
    .add(constants.causalMask)
    .softmax(-1)
    .reshape([batch * kvHeads, group * length, length]); // [B·kv, group·T, T]
  const mixed = tf
    .matMul(scores, value)
    .reshape([batch, heads, length, headDim])
    .transpose([0, 2, 1, 3])
    .reshape([batch * length, heads * headDim]); // [B·T, heads·headDim]
  const attended = x.add(tf.matMul(mixed, weight(layer, "attentionOut")));
  return attended.add(feedForward(rmsNorm(attended, weight(layer, "mlpNorm"), rmsNormEps), layer));
}

/** normed · W (+ bias where the architecture has one). */
export function projected(
  normed: tf.Tensor,
  layer: LayerTensors,
  name: "query" | "key" | "value",
): tf.Tensor {
  const bias = layer[`${name}Bias`];
  const product = tf.matMul(normed, weight(layer, name));
  return bias === undefined ? product : product.add(bias);
}

/** Splits the stacked tensors into one record a layer. */
export function unstackLayers(parameters: ParameterTensors, config: ModelConfig): LayerTensors[] {
  const layers: Record<string, tf.Tensor>[] = Array.from({ length: config.layers }, () => ({}));
  for (const [name, stacked] of Object.entries(parameters)) {
    if (!name.startsWith("layers.")) continue;
    // tfjs has no gradient of an unstack into a single tensor.
    const tensors = config.layers === 1 ? [stacked.reshape(stacked.shape.slice(1))] : tf.unstack(stacked, 0);
    tensors.forEach((tensor, i) => {
      (layers[i] as Record<string, tf.Tensor>)[name.slice("layers.".length)] = tensor;
    });
  }
  return layers;
}

/**
 * Final hidden states, after the last norm and before the head. Causal: a position sees itself and
 * what stands before it, so right padding needs no mask and its outputs are to be ignored.
 * Works under `tf.grads`. Positions count from 0 in every row.
 * @param ids int32 [B, T]
 * @returns float32 [B, T, D]
 */
export function forwardHidden(parameters: ParameterTensors, ids: tf.Tensor, config: ModelConfig): tf.Tensor {
  const [batch, length] = ids.shape as [number, number];
  const constants = sequenceConstants(config, length);
  let x = tf.gather(weight(parameters, "embedding"), ids.reshape([batch * length])); // [B·T, D]
  for (const layer of unstackLayers(parameters, config))
    x = block(x, layer, constants, config, batch, length);
  return rmsNorm(x, weight(parameters, "finalNorm"), config.rmsNormEps).reshape([
    batch,
    length,
    config.hiddenSize,
  ]);
}

/**
 * @param hidden float32 [N, D], after the final norm
 * @returns float32 [N, vocabSize], before softmax
 */
export function logitsOf(parameters: ParameterTensors, hidden: tf.Tensor, config: ModelConfig): tf.Tensor {
  const head = weight(parameters, config.tieWordEmbeddings ? "embedding" : "head");
  return tf.matMul(hidden, head, false, true);
}

function weight(tensors: Readonly<Record<string, tf.Tensor>>, name: string): tf.Tensor {
  const tensor = tensors[name];
  if (tensor === undefined) throw new ModelError("TENSOR_MISSING", `parameter ${name} is missing`);
  return tensor;
}
