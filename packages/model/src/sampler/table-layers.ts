import { asType, type FloatType, type Tensors } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import type { ModelConfig } from "../config.js";
import { rmsNorm } from "../norm.js";
import { rotate } from "../rope.js";
import { named, part, projectHeads, unitNorm } from "./packed-layers.js";
import { layerOfTable, type TableWeights } from "./packed-weights.js";

/*
 * The layers of a model as a GPU wants them: written out, so that XLA fuses what stands between two products, which take
 * and give bfloat16 where that is asked for. The residual stream, norms, rotation and the gated unit are float32.
 */

/** Keys and values of one layer: rows of a cache, or fresh ones. */
export interface KeyValues {
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
}

/** Queries, keys and values of N tokens by head [N, heads, hd], queries and keys rotated, in the type of products. */
export interface Projected extends KeyValues {
  readonly queries: tf.Tensor;
}

export interface TablePass {
  readonly state: Tensors;
  readonly config: ModelConfig;
  /** What products take and the cache holds. */
  readonly type: FloatType;
  /** Of the tokens' positions, float32 [N, 1, hd]. */
  readonly cos: tf.Tensor;
  readonly sin: tf.Tensor;
}

/**
 * Takes tokens through all layers.
 * @param ids int32 [N]
 * @param mix attention of one layer, which also stores the keys and values: [N, heads, hd] → [N, heads · hd]
 * @returns the residual stream float32 [N, D]
 */
export function tableLayers(
  pass: TablePass,
  ids: tf.Tensor,
  mix: (layer: number, projected: Projected) => tf.Tensor,
): tf.Tensor {
  const { state, config, type } = pass;
  let x = asType(tf.gather(named(state, "embedding"), ids), "float32"); // [N, D]
  for (let layer = 0; layer < config.layers; layer++) {
    const weights = layerOfTable(state, layer, config);
    const mixed = mix(layer, project(pass, weights, x));
    const attended = x.add(tf.matMul(asType(mixed, type), weights.attentionOut));
    const joint = tf.matMul(asType(unitNorm(attended, config), type), weights.gates);
    const [gate, up] = tf.split(asType(joint, "float32"), 2, -1) as [tf.Tensor, tf.Tensor];
    const gated = gate.mul(gate.sigmoid()).mul(up);
    x = attended.add(tf.matMul(asType(gated, type), weights.down));
  }
  return x;
}

function project({ config, type, cos, sin }: TablePass, weights: TableWeights, x: tf.Tensor): Projected {
  const { heads, kvHeads } = config;
  const all = { first: 0, count: heads + 2 * kvHeads };
  const joint = projectHeads(weights, asType(unitNorm(x, config), type), all, config); // [N, H+2KV, hd]
  const plain = asType(part(joint, 1, 0, heads + kvHeads), "float32");
  const normed =
    weights.headNorm === undefined
      ? plain
      : rmsNorm(plain, weights.headNorm.reshape(plain.shape.slice(1)), config.rmsNormEps);
  const rotated = asType(rotate(normed, cos, sin), type);
  return {
    queries: part(rotated, 1, 0, heads),
    keys: part(rotated, 1, heads, kvHeads),
    values: asType(part(joint, 1, heads + kvHeads, kvHeads), type),
  };
}
