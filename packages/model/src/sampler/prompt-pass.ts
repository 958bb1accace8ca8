import type { Tensors } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import { type ModelConfig, queryGroup } from "../config.js";
import { ropeTables } from "../rope.js";
import type { LayerMemory } from "./kv-cache.js";
import { afterAttention, named, part, projectHeads, turnHeads, unitNorm } from "./packed-layers.js";

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
  const causalMask = positions
    .reshape([1, 1, 1, length])
    .greater(positions.reshape([1, 1, length, 1]))
    .toFloat()
    .mul(-1e9); // [1, 1, P, P]
  const memory: LayerMemory[] = [];
  /** [N, n, hd] → [R, n, P, hd] */
  const lay = (y: tf.Tensor, n: number) => y.reshape([rows, length, n, headDim]).transpose([0, 2, 1, 3]);
  const remember = (keys: tf.Tensor, values: tf.Tensor): LayerMemory => {
    const shape: [number, number, number] = [rows * kvHeads, length, headDim];
    const seen = { keys: keys.reshape(shape), values: values.reshape(shape) };
    memory.push(seen);
    return seen;
  };

  let x = tf.gather(named(state, "embedding"), ids.reshape([rows * length])); // [R·P, D]
  for (let layer = 0; layer < config.layers - 1; layer++) {
    const all = { first: 0, count: heads + 2 * kvHeads };
    const joint = lay(projectHeads(state, layer, unitNorm(x, config), all, config), all.count);
    const turning = { first: 0, count: heads + kvHeads };
    const turned = turnHeads(state, layer, part(joint, 1, 0, turning.count), turning, cos, sin, config);
    const seen = remember(part(turned, 1, heads, kvHeads), part(joint, 1, heads + kvHeads, kvHeads));
    const queries = part(turned, 1, 0, heads).reshape([rows * kvHeads, group * length, headDim]);
    const weights = tf
      .matMul(queries, seen.keys, false, true)
      .reshape([rows * kvHeads, group, length, length])
      .add(causalMask)
      .softmax(-1)
      .reshape([rows * kvHeads, group * length, length]);
    const mixed = tf
      .matMul(weights, seen.values) // [R·KV, group·P, hd]
      .reshape([rows, heads, length, headDim])
      .transpose([0, 2, 1, 3])
      .reshape([rows * length, heads * headDim]);
    x = afterAttention(state, layer, x, mixed, config); // [R·P, D]
  }

  const layer = config.layers - 1;
  const lastPositions = lengths.sub(tf.scalar(1, "int32")); // [R]
  const lastRows = tf.range(0, rows, 1, "int32").mul(tf.scalar(length, "int32")).add(lastPositions); // into [R·P]
  const normed = unitNorm(x, config);
  const keyHeads = { first: heads, count: kvHeads };
  const joint = lay(
    projectHeads(state, layer, normed, { first: heads, count: 2 * kvHeads }, config),
    2 * kvHeads,
  );
  const keys = turnHeads(state, layer, part(joint, 1, 0, kvHeads), keyHeads, cos, sin, config);
  const seen = remember(keys, part(joint, 1, kvHeads, kvHeads));
  const queryHeads = { first: 0, count: heads };
  const asking = projectHeads(state, layer, tf.gather(normed, lastRows), queryHeads, config); // [R, H, hd]
  const turn = (table: tf.Tensor) =>
    tf.gather(table.reshape([length, headDim]), lastPositions).reshape([rows, 1, 1, headDim]);
  const lastQueries = asking.reshape([rows, heads, 1, headDim]);
  const queries = turnHeads(state, layer, lastQueries, queryHeads, turn(cos), turn(sin), config);
  const beyond = lengths.reshape([rows, 1, 1, 1]).lessEqual(positions.reshape([1, 1, 1, length]));
  const weights = tf
    .matMul(queries.reshape([rows * kvHeads, group, headDim]), seen.keys, false, true)
    .reshape([rows, kvHeads, group, length])
    .add(beyond.toFloat().mul(-1e9))
    .softmax(-1)
    .reshape([rows * kvHeads, group, length]);
  const mixed = tf.matMul(weights, seen.values).reshape([rows, heads * headDim]);
  return { last: afterAttention(state, layer, tf.gather(x, lastRows), mixed, config), memory };
}
