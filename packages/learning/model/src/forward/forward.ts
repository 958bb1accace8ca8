import { entry, fitsFusedAttention, type Keep, scan, tf, usesFusedAttention } from "@palimpsest/jit";
import { attentionKinds, isUniform } from "../base/attention-kind.js";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { withoutTokenless } from "../tokens/tokenless-ids.js";
import { scaledEmbedding } from "./embedding.js";
import type { ForwardOptions, LayerTensors, ParameterTensors } from "./forward-options.js";
import { gatedUnit } from "./gated-unit.js";
import { halfStates } from "./half-forward.js";
import { type Constants, constantsByLayer, kindSlices } from "./layer-constants.js";
import { mixingOf, type Projections } from "./mixing.js";
import { rmsNorm } from "./norm.js";
import { sideBySide } from "./rope.js";

/** Parameters with one column per element of the query or key heads. */
const TURNED = /^(layers\.)?(query|key)(Bias|Norm|\.loraB)?$/;

/**
 * x · W, plus scale · (x · A) · B if the layer has adapters of that name.
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

/** act(x·gate) · (x·up) · down on rows [N, D]. */
function feedForward(x: tf.Tensor, layer: LayerTensors, config: ModelConfig, loraScale?: number): tf.Tensor {
  const gate = linear(x, layer, "gate", loraScale); // [N, F]
  const gated = gatedUnit(gate, linear(x, layer, "up", loraScale), config);
  return linear(gated, layer, "down", loraScale); // [N, D]
}

/** x + out, which is normalized first if the architecture does so. Both float32 [N, D]. */
function added(x: tf.Tensor, out: tf.Tensor, gain: tf.Tensor | undefined, { rmsNormEps }: ModelConfig) {
  return x.add(gain === undefined ? out : rmsNorm(out, gain, rmsNormEps));
}

/**
 * One decoder block over all tokens of a pass; differentiable in `x` and every tensor of `layer`, which come from `turnable`.
 * @param x float32 [tokens, D]
 * @param mix attention over the tokens in their layout
 * @param rows int32 [N]: what follows attention is computed only for these rows of `x`; absent: for all
 * @returns float32 [tokens, D], or [N, D] for the given rows
 */
function block(
  x: tf.Tensor,
  layer: LayerTensors,
  mix: (projections: Projections) => tf.Tensor,
  config: ModelConfig,
  loraScale?: number,
  rows?: tf.Tensor,
): tf.Tensor {
  const { rmsNormEps } = config;
  const normed = rmsNorm(x, weight(layer, "attentionNorm"), rmsNormEps);
  const project = (name: "query" | "key" | "value") => projected(normed, layer, name, loraScale);
  const mixed = mix({ query: project("query"), key: project("key"), value: project("value") });
  const picked = (all: tf.Tensor): tf.Tensor => (rows === undefined ? all : tf.gather(all, rows));
  const out = linear(picked(mixed), layer, "attentionOut", loraScale);
  const attended = added(picked(x), out, layer["attentionOutNorm"], config);
  const fed = feedForward(rmsNorm(attended, weight(layer, "mlpNorm"), rmsNormEps), layer, config, loraScale);
  return added(attended, fed, layer["downNorm"], config);
}

/** normed · W (+ bias if the architecture has one). */
function projected(
  normed: tf.Tensor,
  layer: LayerTensors,
  name: "query" | "key" | "value",
  loraScale?: number,
): tf.Tensor {
  const bias = layer[`${name}Bias`];
  const product = linear(normed, layer, name, loraScale);
  return bias === undefined ? product : product.add(bias);
}

/** Splits the stacked tensors into one record per layer. */
function unstackLayers(parameters: ParameterTensors, config: ModelConfig): LayerTensors[] {
  const layers: Record<string, tf.Tensor>[] = Array.from({ length: config.layers }, () => ({}));
  for (const [name, stacked] of Object.entries(parameters)) {
    if (!name.startsWith("layers.")) continue;
    // tfjs has no gradient for an unstack into a single tensor.
    const tensors = config.layers === 1 ? [stacked.reshape(stacked.shape.slice(1))] : tf.unstack(stacked, 0);
    tensors.forEach((tensor, i) => {
      entry(layers, i)[name.slice("layers.".length)] = tensor;
    });
  }
  return layers;
}

/**
 * Computes the final hidden states, after the last norm and before the head. The model is causal: a position attends to
 * itself and earlier positions, so right padding needs no mask, and its outputs must be ignored. Works under `tf.grads`.
 * Positions count from 0 in every row.
 * @param ids int32 [B, T]
 * @returns float32 [B, T, D]
 */
export function forwardHidden(
  parameters: ParameterTensors,
  ids: tf.Tensor,
  config: ModelConfig,
  options: ForwardOptions = {},
): tf.Tensor {
  const [batch = 0, length = 0] = ids.shape;
  return lastStates(parameters, ids, config, options).reshape([batch, length, config.hiddenSize]);
}

/**
 * Computes the final hidden states of selected positions: with unrolled layers, the last block computes what follows its
 * attention only for these positions.
 * @param ids   int32 [B, T]; with shared prompts int32 [tokens], laid out as in `SharedPrompts`
 * @param rows  int32 [N], positions among the tokens
 * @returns float32 [N, D]
 */
export function forwardRows(
  parameters: ParameterTensors,
  ids: tf.Tensor,
  rows: tf.Tensor,
  config: ModelConfig,
  options: ForwardOptions = {},
): tf.Tensor {
  // A loop has one body for all layers, and gathering many rows once costs less than twice.
  const late = options.layers === "scan" || rows.size >= ids.size;
  return late
    ? tf.gather(lastStates(parameters, ids, config, options), rows)
    : lastStates(parameters, ids, config, options, rows);
}

/** @returns float32 [tokens, D], or [N, D] for the given rows */
function lastStates(
  parameters: ParameterTensors,
  ids: tf.Tensor,
  config: ModelConfig,
  options: ForwardOptions,
  rows?: tf.Tensor,
): tf.Tensor {
  const length = longestSequence(ids.shape, options);
  const isHalf = usesFusedAttention(config.headDim) && attendsByKernel(config, length);
  const activations = options.activations ?? (isHalf ? "bfloat16" : "float32");
  if (activations === "bfloat16") {
    const states = halfStates(parameters, ids, config, options);
    return rows === undefined ? states : tf.gather(states, rows);
  }
  const { kinds, ofLayers } = attentionKinds(config, length);
  const mixings = kinds.map((kind) => mixingOf(ids.shape, config, kind, options));
  const { mix } = entry(mixings, 0);
  const embedded = tf.gather(weight(parameters, "embedding"), ids.reshape([ids.size])); // [tokens, D]
  const x = scaledEmbedding(embedded, config);
  const apply = (input: tf.Tensor, layer: LayerTensors, constants: Constants, kept?: tf.Tensor): tf.Tensor =>
    block(input, layer, (projections) => mix(projections, layer, constants), config, options.loraScale, kept);
  const last =
    options.layers === "scan"
      ? loopLayers(x, stackedLayers(parameters), options.keep, {
          ofLayers,
          constants: mixings.map(({ constants }) => constants),
          apply: (input, layer, constants) => apply(input, turnable(layer, config), constants),
        })
      : unstackLayers(turnable(parameters, config), config).reduce((input, layer, index) => {
          const { constants } = entry(mixings, entry(ofLayers, index));
          return apply(input, layer, constants, index === config.layers - 1 ? rows : undefined);
        }, x);
  return rmsNorm(last, weight(parameters, "finalNorm"), config.rmsNormEps);
}

/**
 * Returns whether all layers can attend by one GPU kernel, which knows neither windows nor layers that attend differently. Only then
 * does a pass run in bfloat16 by default (half-forward.ts), and keep no scores.
 * @param length tokens of the longest sequence
 */
export function attendsByKernel(config: ModelConfig, length: number): boolean {
  return fitsFusedAttention(config.headDim) && isUniform(attentionKinds(config, length));
}

function longestSequence(shape: readonly number[], { sharing }: ForwardOptions): number {
  return sharing === undefined ? (shape[1] ?? 0) : sharing.promptLength + sharing.replyLength;
}

/** How a loop over layers computes one of them. */
interface LoopedLayers {
  /** For each layer the index of its constants. */
  readonly ofLayers: readonly number[];
  readonly constants: readonly Constants[];
  apply(x: tf.Tensor, layer: LayerTensors, constants: Constants): tf.Tensor;
}

/**
 * Applies every layer to x in turn, as one loop over the stacked weights: graph size and compile time do not grow with depth.
 * For the gradient it keeps each layer's input and what `keep` says, and recomputes the rest.
 * @param x      float32 [N, D]
 * @param stacks tensors [L, ...], keyed by their names in a layer
 */
function loopLayers(
  x: tf.Tensor,
  stacks: LayerTensors,
  keep: Keep | undefined,
  { ofLayers, constants, apply }: LoopedLayers,
): tf.Tensor {
  const names = Object.keys(stacks);
  const choose = constantsByLayer(constants);
  const { carry } = scan({
    carry: [x],
    xs: [...Object.values(stacks), ...kindSlices(ofLayers, constants.length)],
    keep: keep ?? "nothing",
    body: ([input], slices) => {
      const layer = Object.fromEntries(names.map((name, index) => [name, entry(slices, index)]));
      return { carry: [apply(input, layer, choose(slices[names.length]))] };
    },
  });
  return carry[0];
}

/** Reorders the columns of queries and keys as the rotation needs them; keyed by names in a layer or in the model. */
function turnable(tensors: LayerTensors, { headDim }: ModelConfig): LayerTensors {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) => [
      name,
      TURNED.test(name) ? sideBySide(tensor, headDim) : tensor,
    ]),
  );
}

/** The stacked tensors, keyed by their names in a layer. */
function stackedLayers(parameters: ParameterTensors): LayerTensors {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, stacked]) =>
      name.startsWith("layers.") ? [[name.slice("layers.".length), stacked]] : [],
    ),
  );
}

/**
 * @param hidden float32 [N, D], after the final norm
 * @returns float32 [N, vocabSize], before softmax; those of ids without a token are so low that their probability is 0
 */
export function logitsOf(parameters: ParameterTensors, hidden: tf.Tensor, config: ModelConfig): tf.Tensor {
  const head = weight(parameters, config.tieWordEmbeddings ? "embedding" : "head");
  return withoutTokenless(tf.matMul(hidden, head, false, true), config);
}

function weight(tensors: Readonly<Record<string, tf.Tensor>>, name: string): tf.Tensor {
  const tensor = tensors[name];
  if (tensor === undefined) throw new ModelError("TENSOR_MISSING", `parameter ${name} is missing`);
  return tensor;
}
