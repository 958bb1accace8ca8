import { asType, callable, type FloatType, type Tensors, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import { scaledEmbedding } from "../../forward/embedding.js";
import { plainGatedUnit } from "../../forward/gated-unit.js";
import { rmsNorm } from "../../forward/norm.js";
import { rotate } from "../../forward/rope.js";
import { named, part, projectHeads, unitNorm, withOutput } from "../weights/packed-layers.js";
import { layerOfTable, type TableWeights, tableWeightNames } from "../weights/packed-weights.js";

/*
 * The layers of a model in the form that suits a GPU: compiled one after another instead of as a loop, so that XLA fuses
 * everything between two products, whose inputs and outputs are bfloat16 if requested. The residual stream, norms, rotary
 * embedding and the gated unit are float32.
 */

/** Keys and values of one layer: rows of a cache, or fresh ones. */
export interface KeyValues {
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
}

/** Queries, keys and values of N tokens by head [N, heads, hd], queries and keys rotated, in the type of products. */
interface Projected extends KeyValues {
  readonly queries: tf.Tensor;
}

export interface TablePass {
  readonly state: Tensors;
  readonly config: ModelConfig;
  /** The type of products and of the cache. */
  readonly type: FloatType;
  /** Of the tokens' positions, float32 [N, 1, hd]. */
  readonly cos: tf.Tensor;
  readonly sin: tf.Tensor;
}

/**
 * Attention of one layer over its table, which also writes the new keys and values.
 * @param shared the tensors given to `tableLayers`
 * @returns mixed [N, heads · hd], and the layer's table
 */
export type Mix = (
  projected: Projected,
  table: KeyValues,
  shared: readonly tf.Tensor[],
) => { readonly mixed: tf.Tensor; readonly table: KeyValues };

/**
 * Passes tokens through all layers. A layer is a `callable`, so `mix` may use only its arguments and constants.
 * @param ids    int32 [N]
 * @param tables one per layer
 * @param shared tensors that `mix` needs in every layer
 * @returns the residual stream float32 [N, D], and the new tables
 */
export function tableLayers(
  { state, config, type, cos, sin }: TablePass,
  ids: tf.Tensor,
  tables: readonly KeyValues[],
  shared: readonly tf.Tensor[],
  mix: Mix,
): { readonly x: tf.Tensor; readonly tables: readonly KeyValues[] } {
  const names = tableWeightNames(config);
  const layer = callable((args) => {
    const [before, cosOf, sinOf, keys, values, ...rest] = args as [
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
      ...tf.Tensor[],
    ];
    const given = Object.fromEntries(names.map((name, index) => [name, rest[index]]));
    const weights = given as unknown as TableWeights;
    const projected = project(config, type, cosOf, sinOf, weights, before);
    const { mixed, table } = mix(projected, { keys, values }, rest.slice(names.length));
    const added = (x: tf.Tensor, out: tf.Tensor, gain: tf.Tensor | undefined) =>
      gain === undefined ? x.add(out) : withOutput(x, asType(out, "float32"), gain, config);
    const out = tf.matMul(asType(mixed, type), weights.attentionOut);
    const attended = added(before, out, weights.attentionOutNorm);
    const joint = tf.matMul(asType(unitNorm(attended, config), type), weights.gates);
    const [gate, up] = tf.split(asType(joint, "float32"), 2, -1) as [tf.Tensor, tf.Tensor];
    const gated = plainGatedUnit(gate, up, config);
    const fed = tf.matMul(asType(gated, type), weights.down);
    return [added(attended, fed, weights.downNorm), table.keys, table.values];
  });
  let x = scaledEmbedding(asType(tf.gather(named(state, "embedding"), ids), "float32"), config); // [N, D]
  const written = tables.map((table, index) => {
    const weights = layerOfTable(state, index, config) as unknown as Readonly<Record<string, tf.Tensor>>;
    const own = names.map((name) => named(weights, name));
    const results = layer([x, cos, sin, table.keys, table.values, ...own, ...shared]);
    const [after, keys, values] = results as [tf.Tensor, tf.Tensor, tf.Tensor];
    x = after;
    return { keys, values };
  });
  return { x, tables: written };
}

function project(
  config: ModelConfig,
  type: FloatType,
  cos: tf.Tensor,
  sin: tf.Tensor,
  weights: TableWeights,
  x: tf.Tensor,
): Projected {
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
