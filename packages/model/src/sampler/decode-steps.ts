import type { Tensors } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import { type ModelConfig, queryGroup } from "../config.js";
import { ropeTables } from "../rope.js";
import { drawTokens } from "./draw.js";
import type { LayerMemory } from "./kv-cache.js";
import {
  afterAttention,
  named,
  nextLogits,
  part,
  projectHeads,
  turnHeads,
  unitNorm,
} from "./packed-layers.js";

export interface DecodeStart {
  /** int32 [S]: each row's last token, not yet in `past`. */
  readonly ids: tf.Tensor;
  /** int32 [S]: its position, which is how many entries of `past` count. */
  readonly positions: tf.Tensor;
  /** Keys and values [S·KV, T, hd] of each layer. */
  readonly past: readonly LayerMemory[];
  /** float32 [steps, S], in [0, 1). */
  readonly uniforms: tf.Tensor;
  /** float32 [S]. */
  readonly inverseTemperature: tf.Tensor;
}

export interface Decoded {
  /** int32 [S] and float32 [S] of each step. */
  readonly tokens: readonly tf.Tensor[];
  readonly logprobs: readonly tf.Tensor[];
  /** Keys and values [S·KV, steps, hd] of each layer: of `ids` and all tokens but the last. */
  readonly memory: readonly LayerMemory[];
}

/**
 * Samples `steps` tokens a row, unrolled. `past` is only read: the call's own keys and values stand beside
 * it, so that a cache is written once a call and not once a token.
 */
export function decodeSteps(
  state: Tensors,
  start: DecodeStart,
  steps: number,
  maxPosition: number,
  config: ModelConfig,
): Decoded {
  const { heads, kvHeads, headDim } = config;
  const [rows] = start.ids.shape as [number];
  const pastLength = (start.past[0] as LayerMemory).keys.shape[1] as number;
  const group = queryGroup(config);
  const tables = ropeTables(config, maxPosition);
  const cos = tf.tensor(tables.cos, [maxPosition, 1, 1, headDim]);
  const sin = tf.tensor(tables.sin, [maxPosition, 1, 1, headDim]);
  const hidden = start.positions
    .reshape([rows, 1, 1, 1])
    .lessEqual(tf.range(0, pastLength, 1, "int32").reshape([1, 1, 1, pastLength]))
    .toFloat()
    .mul(-1e9); // [S, 1, 1, T]
  const all = { first: 0, count: heads + 2 * kvHeads };
  const turning = { first: 0, count: heads + kvHeads };
  const tokens: tf.Tensor[] = [];
  const logprobs: tf.Tensor[] = [];
  const own: LayerMemory[] = [];

  let ids = start.ids;
  for (let step = 0; step < steps; step++) {
    const positions = start.positions.add(tf.scalar(step, "int32"));
    const [stepCos, stepSin] = [tf.gather(cos, positions), tf.gather(sin, positions)]; // [S, 1, 1, hd]
    let x = tf.gather(named(state, "embedding"), ids); // [S, D]
    start.past.forEach((past, layer) => {
      const joint = projectHeads(state, layer, unitNorm(x, config), all, config); // [S, H+2KV, hd]
      const plain = part(joint, 1, 0, turning.count).reshape([rows, turning.count, 1, headDim]);
      const turned = turnHeads(state, layer, plain, turning, stepCos, stepSin, config);
      const query = part(turned, 1, 0, heads).reshape([rows * kvHeads, group, headDim]);
      const memory = extended(own[layer], {
        keys: part(turned, 1, heads, kvHeads).reshape([rows * kvHeads, 1, headDim]),
        values: part(joint, 1, heads + kvHeads, kvHeads).reshape([rows * kvHeads, 1, headDim]),
      }); // [S·KV, step+1, hd]
      own[layer] = memory;
      const pastScores = tf
        .matMul(query, past.keys, false, true)
        .reshape([rows, kvHeads, group, pastLength])
        .add(hidden)
        .reshape([rows * kvHeads, group, pastLength]);
      const weights = tf.concat([pastScores, tf.matMul(query, memory.keys, false, true)], -1).softmax(-1);
      const mixed = tf
        .matMul(part(weights, 2, 0, pastLength), past.values)
        .add(tf.matMul(part(weights, 2, pastLength, step + 1), memory.values))
        .reshape([rows, heads * headDim]);
      x = afterAttention(state, layer, x, mixed, config);
    });
    const uniforms = part(start.uniforms, 0, step, 1).reshape([rows]);
    const drawn = drawTokens(nextLogits(state, x, config), uniforms, start.inverseTemperature);
    tokens.push(drawn.tokens);
    logprobs.push(drawn.logprobs);
    ids = drawn.tokens;
  }
  return { tokens, logprobs, memory: own };
}

function extended(memory: LayerMemory | undefined, fresh: LayerMemory): LayerMemory {
  if (memory === undefined) return fresh;
  return {
    keys: tf.concat([memory.keys, fresh.keys], 1),
    values: tf.concat([memory.values, fresh.values], 1),
  };
}
