import type { ModelConfig } from "../config.js";
import { type Parameters, sizeOf } from "../parameters.js";

/**
 * The sampler's own layout of the weights: one record a layer (slicing a stack would copy it in every call),
 * query, key and value in one matrix; the gains of the norms and attention's 1/√headDim multiplied into the
 * matrices (with head norms, into their gains).
 * Same function, fewer kernels a token.
 */
export function packedShapes(config: ModelConfig): Record<string, readonly number[]> {
  const { hiddenSize: D, headDim, heads, kvHeads, intermediateSize: F, vocabSize } = config;
  const shapes: Record<string, readonly number[]> = {
    embedding: [vocabSize, D],
    ...(config.tieWordEmbeddings ? {} : { head: [vocabSize, D] }),
    finalNorm: [D],
  };
  for (let layer = 0; layer < config.layers; layer++) {
    shapes[packedName("attentionIn", layer)] = [D, (heads + 2 * kvHeads) * headDim];
    if (config.architecture === "qwen2") {
      shapes[packedName("attentionBias", layer)] = [(heads + 2 * kvHeads) * headDim];
    }
    if (config.architecture === "qwen3")
      shapes[packedName("headNorm", layer)] = [heads + kvHeads, 1, headDim];
    shapes[packedName("attentionOut", layer)] = [heads * headDim, D];
    shapes[packedName("gate", layer)] = [D, F];
    shapes[packedName("up", layer)] = [D, F];
    shapes[packedName("down", layer)] = [F, D];
  }
  return shapes;
}

export type PackedTensor =
  | "attentionIn"
  | "attentionBias"
  | "headNorm"
  | "attentionOut"
  | "gate"
  | "up"
  | "down";

export function packedName(tensor: PackedTensor, layer: number): string {
  return `${tensor}.${layer}`;
}

export function packWeights(
  config: ModelConfig,
  parameters: Readonly<Record<string, Float32Array>>,
): Parameters {
  const { hiddenSize: D, headDim, heads, kvHeads } = config;
  const layerOf = (name: string, layer: number): Float32Array => {
    const stacked = parameters[`layers.${name}`] as Float32Array;
    const size = stacked.length / config.layers;
    return stacked.subarray(layer * size, (layer + 1) * size);
  };
  const packed: Parameters = {};
  for (const name of ["embedding", "head", "finalNorm"]) {
    const values = parameters[name];
    if (values !== undefined) packed[name] = values;
  }
  for (let layer = 0; layer < config.layers; layer++) {
    // A head norm would undo a scale of what it norms.
    const queryScale = 1 / Math.sqrt(headDim);
    const [inner, outer] = config.architecture === "qwen3" ? [1, queryScale] : [queryScale, 1];
    const scaled = (name: string) => layerOf(name, layer).map((value) => value * inner);
    const projections = [scaled("query"), layerOf("key", layer), layerOf("value", layer)];
    const joined = joinColumns(projections, D);
    packed[packedName("attentionIn", layer)] = scaleRows(joined, layerOf("attentionNorm", layer));
    if (config.architecture === "qwen2") {
      const biases = [scaled("queryBias"), layerOf("keyBias", layer), layerOf("valueBias", layer)];
      packed[packedName("attentionBias", layer)] = joinColumns(biases, 1);
    }
    if (config.architecture === "qwen3") {
      const gains = new Float32Array(sizeOf([heads + kvHeads, headDim]));
      const queryGain = layerOf("queryNorm", layer).map((value) => value * outer);
      for (let head = 0; head < heads + kvHeads; head++) {
        gains.set(head < heads ? queryGain : layerOf("keyNorm", layer), head * headDim);
      }
      packed[packedName("headNorm", layer)] = gains;
    }
    packed[packedName("attentionOut", layer)] = layerOf("attentionOut", layer);
    const mlpNorm = layerOf("mlpNorm", layer);
    packed[packedName("gate", layer)] = scaleRows(layerOf("gate", layer).slice(), mlpNorm);
    packed[packedName("up", layer)] = scaleRows(layerOf("up", layer).slice(), mlpNorm);
    packed[packedName("down", layer)] = layerOf("down", layer);
  }
  return packed;
}

/** Matrices of the same number of rows side by side. */
function joinColumns(matrices: readonly Float32Array[], rows: number): Float32Array {
  const columns = matrices.map((matrix) => matrix.length / rows);
  const width = columns.reduce((sum, count) => sum + count, 0);
  const joined = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    let offset = row * width;
    matrices.forEach((matrix, i) => {
      const count = columns[i] as number;
      joined.set(matrix.subarray(row * count, (row + 1) * count), offset);
      offset += count;
    });
  }
  return joined;
}

/** Multiplies row i by gains[i], in place. */
function scaleRows(matrix: Float32Array, gains: Float32Array): Float32Array {
  const width = matrix.length / gains.length;
  for (let i = 0; i < matrix.length; i++) {
    matrix[i] = (matrix[i] as number) * (gains[Math.floor(i / width)] as number);
  }
  return matrix;
}
