import { type Tensors, tf } from "@palimpsest/jit";
import { type ModelConfig, queryGroup } from "../config.js";
import { type Drawn, drawTokens } from "./draw.js";
import { type Memories, type Memory, walkLayers } from "./layer-walk.js";
import {
  afterAttention,
  named,
  pageLogits,
  part,
  projectHeads,
  rotateHeads,
  unitNorm,
} from "./packed-layers.js";
import { hasRoughLogits, roughLogits } from "./rough-logits.js";

export interface DecodeStart {
  /** int32 [S]: each row's last token, not yet in `past`. */
  readonly ids: tf.Tensor;
  /** int32 [S]: its position, which equals the number of valid entries of `past`. */
  readonly positions: tf.Tensor;
  /** [S·KV, T, hd] of each layer. */
  readonly past: Memories;
  /** T */
  readonly pastLength: number;
  /** float32 [steps, S], in [0, 1). */
  readonly uniforms: tf.Tensor;
  /** float32 [S]. */
  readonly inverseTemperature: tf.Tensor;
}

export interface Decoded {
  /** One entry per step. */
  readonly drawn: readonly Drawn[];
  /** float32 [S, V], of the last step. */
  readonly logits: tf.Tensor;
  /** [S·KV, steps, hd] of each layer: keys and values of `ids` and of all tokens but the last. */
  readonly memory: Memories;
}

/**
 * Samples `steps` tokens per row. `past` is only read; the call's own keys and values are kept separately, so that the
 * cache is written once per call and not once per token.
 */
export function decodeSteps(state: Tensors, start: DecodeStart, steps: number, config: ModelConfig): Decoded {
  const { heads, kvHeads, headDim } = config;
  const [rows = 0] = start.ids.shape;
  const { pastLength } = start;
  const group = queryGroup(config);
  const [cos, sin] = [named(state, "ropeCos"), named(state, "ropeSin")];
  const lastPosition = tf.scalar((cos.shape[0] ?? 0) - 1, "int32");
  const hidden = start.positions
    .reshape([rows, 1, 1])
    .lessEqual(tf.range(0, pastLength, 1, "int32").reshape([1, 1, pastLength]))
    .toFloat()
    .mul(-1e9); // [S, 1, T]
  const all = { first: 0, count: heads + 2 * kvHeads };
  const turning = { first: 0, count: heads + kvHeads };
  // The host draws from the logits of a call of one step, and any of them may matter to it.
  const isRough = steps > 1 && hasRoughLogits(state, config);
  const drawn: Drawn[] = [];

  let ids = start.ids;
  let own: Memories | undefined;
  let logits: tf.Tensor | undefined;
  for (let step = 0; step < steps; step++) {
    const positions = start.positions.add(tf.scalar(step, "int32")).minimum(lastPosition);
    const turn = (table: tf.Tensor) => tf.gather(table, positions).reshape([rows, 1, 1, headDim]);
    const [stepCos, stepSin] = [turn(cos), turn(sin)];
    const embedded = tf.gather(named(state, "embedding"), ids); // [S, D]
    const memories = own === undefined ? [start.past] : [start.past, own];
    const walked = walkLayers(state, embedded, memories, config, (weights, x, [past, before]) => {
      const joint = projectHeads(weights, unitNorm(x, config), all, config); // [S, H+2KV, hd]
      const plain = part(joint, 1, 0, turning.count).reshape([rows, turning.count, 1, headDim]);
      const turned = rotateHeads(weights, plain, turning, stepCos, stepSin, config);
      const query = part(turned, 1, 0, heads).reshape([rows * kvHeads, group, headDim]);
      const memory = extended(before, {
        keys: part(turned, 1, heads, kvHeads).reshape([rows * kvHeads, 1, headDim]),
        values: part(joint, 1, heads + kvHeads, kvHeads).reshape([rows * kvHeads, 1, headDim]),
      }); // [S·KV, step+1, hd]
      const { keys, values } = past as Memory;
      const pastScores = tf
        .matMul(query, keys, false, true)
        .reshape([rows, heads, pastLength])
        .add(hidden)
        .reshape([rows * kvHeads, group, pastLength]);
      const shares = tf.concat([pastScores, tf.matMul(query, memory.keys, false, true)], -1).softmax(-1);
      const mixed = tf
        .matMul(part(shares, 2, 0, pastLength), values)
        .add(tf.matMul(part(shares, 2, pastLength, step + 1), memory.values))
        .reshape([rows, heads * headDim]);
      return { x: afterAttention(weights, x, mixed, config), memory };
    });
    own = walked.memory;
    const uniforms = part(start.uniforms, 0, step, 1).reshape([rows]);
    const rough = isRough ? roughLogits(state, walked.x, config) : undefined;
    logits = rough?.logits ?? pageLogits(state, walked.x, config);
    const choice = drawTokens(logits, uniforms, start.inverseTemperature, rough?.logitsAt);
    drawn.push(choice);
    ids = choice.tokens;
  }
  return { drawn, logits: logits as tf.Tensor, memory: own as Memories };
}

function extended(memory: Memory | undefined, fresh: Memory): Memory {
  if (memory === undefined) return fresh;
  return {
    keys: tf.concat([memory.keys, fresh.keys], 1),
    values: tf.concat([memory.values, fresh.values], 1),
  };
}
