import { turnPairs } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import { type AttentionMask, attention } from "./attention.js";
import type { ModelConfig } from "./config.js";
import { ModelError } from "./error.js";
import { scanLayers } from "./layer-loop.js";
import { rmsNorm } from "./norm.js";
import { ropeTurns, sideBySide } from "./rope.js";
import { swiglu } from "./swiglu.js";

/** Weights as tensors by the names of `parameterShapes`. */
export type ParameterTensors = Readonly<Record<string, tf.Tensor>>;

/** Weights of one block by the names of `parameterShapes` without `layers.`, first axis gone. */
export type LayerTensors = Readonly<Record<string, tf.Tensor>>;

/** What every block of one forward pass shares; made once a pass. */
export type SequenceConstants = {
  /** [1 or B, 1, T, headDim], `ropeTurns` with the scale of the scores. */
  readonly queryTurns: tf.Tensor;
  /** [1 or B, 1, T, headDim], `ropeTurns`. */
  readonly keyTurns: tf.Tensor;
  /** [1 or B, 1, T, T], 0 where a position may look, else -1e9; absent where attention runs in blocks. */
  readonly bias?: tf.Tensor;
  /** int32 [B, T], where rows are packed and attention runs in blocks. */
  readonly segments?: tf.Tensor;
};

/** What has a column for every place of the query or key heads. */
const TURNED = /^(layers\.)?(query|key)(Bias|Norm|\.loraB)?$/;

/** What of `ForwardOptions` a block needs. */
export type BlockOptions = Pick<ForwardOptions, "attentionBlock" | "loraScale">;

/** How sequences lie and how they are computed; the numbers are the same in every form. */
export interface ForwardOptions {
  /** scan: one loop over the stacked layers, each computed again for the gradient. Default unrolled. */
  readonly layers?: "unrolled" | "scan" | undefined;
  /** Queries of attention at a time; absent: all at once. */
  readonly attentionBlock?: number | undefined;
  /** Several rows in one sequence: tokens see those of the same number before them. */
  readonly packing?: Packing | undefined;
  /** Factor on what adapters add: alpha / rank. */
  readonly loraScale?: number | undefined;
  /** Parameters without a gradient; with scan it is not even computed. Default none. */
  readonly isFrozen?: ((name: string) => boolean) | undefined;
}

/** Both int32 [B, T]. */
export interface Packing {
  /** A number for each row of the sequence. */
  readonly segments: tf.Tensor;
  /** Places counted from the row's first token. */
  readonly positions: tf.Tensor;
}

/**
 * x · W, plus scale · (x · A) · B where the layer has adapters of that name.
 * @param x float32 [N, in]
 * @returns float32 [N, out]
 */
function linear(x: tf.Tensor, layer: LayerTensors, name: string, loraScale?: number): tf.Tensor {
  const product = tf.matMul(x, weight(layer, name));
  const down = layer[`${name}.loraA`];
  if (down === undefined) return product;
  const added = tf.matMul(tf.matMul(x, down), weight(layer, `${name}.loraB`));
  return product.add(loraScale === undefined ? added : added.mul(loraScale));
}

/** silu(x·gate) · (x·up) · down on rows [N, D]. */
export function feedForward(x: tf.Tensor, layer: LayerTensors, loraScale?: number): tf.Tensor {
  const gate = linear(x, layer, "gate", loraScale); // [N, F]
  const gated = swiglu(gate, linear(x, layer, "up", loraScale));
  return linear(gated, layer, "down", loraScale); // [N, D]
}

/** @param length of the sequences; the block's `options.packing` has the same */
export function sequenceConstants(
  config: ModelConfig,
  length: number,
  options: ForwardOptions = {},
): SequenceConstants {
  const { packing } = options;
  const turned = (factor: number): tf.Tensor => {
    const rows = tf.tensor2d(ropeTurns(config, length, factor), [length, config.headDim]);
    if (packing === undefined) return rows.reshape([1, 1, length, config.headDim]);
    const [batch] = packing.positions.shape as [number, number];
    const places = packing.positions.reshape([batch * length]);
    return tf.gather(rows, places).reshape([batch, 1, length, config.headDim]);
  };
  const tables = { queryTurns: turned(1 / Math.sqrt(config.headDim)), keyTurns: turned(1) };
  if (!isBlocked(options, length)) return { ...tables, bias: denseMask(length, packing?.segments) };
  return packing === undefined ? tables : { ...tables, segments: packing.segments };
}

function isBlocked({ attentionBlock }: BlockOptions, length: number): boolean {
  return attentionBlock !== undefined && attentionBlock < length;
}

/** From two ranges and a comparison: a [T, T] constant would be baked into the graph. */
function denseMask(length: number, segments: tf.Tensor | undefined): tf.Tensor {
  const positions = tf.range(0, length, 1, "int32");
  const later = positions.reshape([1, 1, 1, length]).greater(positions.reshape([1, 1, length, 1]));
  if (segments === undefined) return later.toFloat().mul(-1e9);
  const [batch] = segments.shape as [number, number];
  const other = segments.reshape([batch, 1, 1, length]).notEqual(segments.reshape([batch, 1, length, 1]));
  return tf.logicalOr(later, other).toFloat().mul(-1e9);
}

/**
 * One decoder block over whole sequences; differentiable in `x` and every tensor of `layer`, which come from `turnable`.
 * @param x float32 [B·T, D]
 * @param rows int32 [N]: what follows attention is done for these rows of `x` alone; absent: for all
 * @returns float32 [B·T, D], or [N, D] of the given rows
 */
function block(
  x: tf.Tensor,
  layer: LayerTensors,
  constants: SequenceConstants,
  config: ModelConfig,
  batch: number,
  length: number,
  options: BlockOptions = {},
  rows?: tf.Tensor,
): tf.Tensor {
  const { heads, kvHeads, headDim, rmsNormEps } = config;
  const { loraScale } = options;
  const normed = rmsNorm(x, weight(layer, "attentionNorm"), rmsNormEps); // [B·T, D]
  const project = (name: "query" | "key" | "value", headCount: number): tf.Tensor => {
    const flat = projected(normed, layer, name, loraScale); // [B·T, n·headDim]
    return flat.reshape([batch, length, headCount, headDim]).transpose([0, 2, 1, 3]); // [B, n, T, headDim]
  };
  const turn = (y: tf.Tensor, gain: tf.Tensor | undefined, turns: tf.Tensor): tf.Tensor =>
    turnPairs(gain === undefined ? y : rmsNorm(y, gain, rmsNormEps), turns);
  const query = turn(project("query", heads), layer["queryNorm"], constants.queryTurns);
  const key = turn(project("key", kvHeads), layer["keyNorm"], constants.keyTurns);
  const mixed = attention(query, key, project("value", kvHeads), maskOf(constants, options))
    .transpose([0, 2, 1, 3])
    .reshape([batch * length, heads * headDim]); // [B·T, heads·headDim]
  const picked = (all: tf.Tensor): tf.Tensor => (rows === undefined ? all : tf.gather(all, rows));
  const attended = picked(x).add(linear(picked(mixed), layer, "attentionOut", loraScale));
  const fed = feedForward(rmsNorm(attended, weight(layer, "mlpNorm"), rmsNormEps), layer, loraScale);
  return attended.add(fed);
}

function maskOf({ bias, segments }: SequenceConstants, { attentionBlock }: BlockOptions): AttentionMask {
  if (bias !== undefined) return { kind: "dense", bias };
  return { kind: "blocked", block: attentionBlock ?? 1, ...(segments === undefined ? {} : { segments }) };
}

/** normed · W (+ bias where the architecture has one). */
export function projected(
  normed: tf.Tensor,
  layer: LayerTensors,
  name: "query" | "key" | "value",
  loraScale?: number,
): tf.Tensor {
  const bias = layer[`${name}Bias`];
  const product = linear(normed, layer, name, loraScale);
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
export function forwardHidden(
  parameters: ParameterTensors,
  ids: tf.Tensor,
  config: ModelConfig,
  options: ForwardOptions = {},
): tf.Tensor {
  const [batch, length] = ids.shape as [number, number];
  return lastStates(parameters, ids, config, options).reshape([batch, length, config.hiddenSize]);
}

/**
 * The final hidden states of some places alone: unrolled, the last block does what follows its attention for these
 * places and not for all.
 * @param ids   int32 [B, T]
 * @param rows  int32 [N], places in [B·T]
 * @returns float32 [N, D]
 */
export function forwardRows(
  parameters: ParameterTensors,
  ids: tf.Tensor,
  rows: tf.Tensor,
  config: ModelConfig,
  options: ForwardOptions = {},
): tf.Tensor {
  // A loop has one body for all layers, and many rows are gathered sooner once than twice.
  const late = options.layers === "scan" || rows.size >= ids.size;
  return late
    ? tf.gather(lastStates(parameters, ids, config, options), rows)
    : lastStates(parameters, ids, config, options, rows);
}

/** @returns float32 [B·T, D], or [N, D] of the given rows */
function lastStates(
  parameters: ParameterTensors,
  ids: tf.Tensor,
  config: ModelConfig,
  options: ForwardOptions,
  rows?: tf.Tensor,
): tf.Tensor {
  const [batch, length] = ids.shape as [number, number];
  const constants = sequenceConstants(config, length, options);
  const x = tf.gather(weight(parameters, "embedding"), ids.reshape([batch * length])); // [B·T, D]
  const apply = (input: tf.Tensor, layer: LayerTensors, shared: LayerTensors, kept?: tf.Tensor): tf.Tensor =>
    block(input, layer, shared as SequenceConstants, config, batch, length, options, kept);
  const last =
    options.layers === "scan"
      ? scanLayers(
          x,
          stackedLayers(parameters),
          constants,
          (input, layer, shared) => apply(input, turnable(layer, config), shared),
          options.isFrozen,
        )
      : unstackLayers(turnable(parameters, config), config).reduce(
          (input, layer, index) =>
            apply(input, layer, constants, index === config.layers - 1 ? rows : undefined),
          x,
        );
  return rmsNorm(last, weight(parameters, "finalNorm"), config.rmsNormEps);
}

/** With the columns of queries and keys in the order in which they are turned; by names in a layer or in the model. */
function turnable(tensors: LayerTensors, { headDim }: ModelConfig): LayerTensors {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) => [
      name,
      TURNED.test(name) ? sideBySide(tensor, headDim) : tensor,
    ]),
  );
}

/** The stacked tensors by their names in a layer. */
function stackedLayers(parameters: ParameterTensors): LayerTensors {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, stacked]) =>
      name.startsWith("layers.") ? [[name.slice("layers.".length), stacked]] : [],
    ),
  );
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
