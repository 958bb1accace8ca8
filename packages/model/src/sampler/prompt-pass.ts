import type { Tensors } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import { type ModelConfig, queryGroup } from "../config.js";
import { ropeTables } from "../rope.js";
import type { LayerMemory } from "./kv-cache.js";
import { afterAttention, layerHeads, named } from "./packed-layers.js";

/** What a prompt leaves behind. */
export interface PromptPass {
  /** float32 [R, D]: residual stream at each prompt's last token, before the final norm. */
  readonly last: tf.Tensor;
  /** Keys and values [R·KV, P, hd] of each layer. */
  readonly memory: readonly LayerMemory[];
}

/**
 * Reads whole prompts. The last layer asks for each prompt's last token only, which halves a two-layer model.
 * @param ids     int32 [R, P], right-padded
 * @param lengths int32 [R], ≥ 1
 */
export function promptPass(
  state: Tensors,
  ids: tf.Tensor,
  lengths: tf.Tensor,
  config: ModelConfig,
): PromptPass {
  const { heads, kvHeads, headDim } = config;
  const [rows, length] = ids.shape as [number, number];
  const group = queryGroup(config);
  const tables = ropeTables(config, length);
  const cos = tf.tensor(tables.cos, [1, 1, length, headDim]);
  const sin = tf.tensor(tables.sin, [1, 1, length, headDim]);
  const positions = tf.range(0, length, 1, "int32");
  const lastRows = tf
    .range(0, rows, 1, "int32") // [R], into [R·P]
    .mul(tf.scalar(length, "int32"))
    .add(lengths.sub(tf.scalar(1, "int32")));
  const lay = (joint: tf.Tensor) =>
    joint.reshape([rows, length, heads + 2 * kvHeads, headDim]).transpose([0, 2, 1, 3]);
  const memory: LayerMemory[] = [];

  let x = tf.gather(named(state, "embedding"), ids.reshape([rows * length])); // [R·P, D]
  for (let layer = 0; layer < config.layers; layer++) {
    const { queries, keys, values } = layerHeads(state, layer, x, config, lay, cos, sin);
    const seen = {
      keys: keys.reshape([rows * kvHeads, length, headDim]),
      values: values.reshape([rows * kvHeads, length, headDim]),
    };
    memory.push(seen);
    const isLast = layer === config.layers - 1;
    const asked = isLast ? 1 : length; // A: positions whose output is needed
    const needed = isLast
      ? tf.gather(queries.transpose([0, 2, 1, 3]).reshape([rows * length, heads * headDim]), lastRows)
      : queries;
    const hidden = isLast
      ? lengths.reshape([rows, 1, 1, 1]).lessEqual(positions.reshape([1, 1, 1, length])) // [R, 1, 1, P]
      : positions.reshape([1, 1, 1, length]).greater(positions.reshape([1, 1, length, 1])); // [1, 1, P, P]
    const [batch, inner] = isLast ? [rows, kvHeads] : [rows * kvHeads, group];
    const weights = tf
      .matMul(needed.reshape([rows * kvHeads, group * asked, headDim]), seen.keys, false, true)
      .reshape(isLast ? [batch, inner, group, length] : [batch, inner, length, length])
      .add(hidden.toFloat().mul(-1e9))
      .softmax(-1)
      .reshape([rows * kvHeads, group * asked, length]);
    const mixed = tf
      .matMul(weights, seen.values) // [R·KV, group·A, hd]
      .reshape([rows, heads, asked, headDim])
      .transpose([0, 2, 1, 3])
      .reshape([rows * asked, heads * headDim]);
    x = afterAttention(state, layer, isLast ? tf.gather(x, lastRows) : x, mixed, config); // [R·A, D]
  }
  return { last: x, memory };
}
