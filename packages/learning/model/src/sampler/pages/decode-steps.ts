import { type Tensors, tf } from "@palimpsest/jit";
import { type ModelConfig, queryGroup } from "../../base/config.js";
import { type Drawn, drawTokens } from "../draw/draw.js";
import {
  afterAttention,
  named,
  pageLogits,
  part,
  projectHeads,
  rotateHeads,
  unitNorm,
} from "../weights/packed-layers.js";
import { attendBeside, attendWritten, type StepAttention, writePlan } from "./decode-attention.js";
import { type Memories, type Memory, walkLayers } from "./layer-walk.js";
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
  /** Each step's keys and values are written into `past`, which has room for them; otherwise they are kept beside it. */
  readonly writes: boolean;
}

export interface Decoded {
  /** One entry per step. */
  readonly drawn: readonly Drawn[];
  /** float32 [S, V], of the last step. */
  readonly logits: tf.Tensor;
  /** [S·KV, steps, hd] of each layer: keys and values of `ids` and of all tokens but the last. Empty with `writes`. */
  readonly memory: Memories;
  /** With `writes` the same as [S·KV, hd] of each layer and step. */
  readonly entries: readonly (readonly Memory[])[];
}

/** Samples `steps` tokens per row. The cache is written once per call and not once per token. */
export function decodeSteps(state: Tensors, start: DecodeStart, steps: number, config: ModelConfig): Decoded {
  const { heads, kvHeads, headDim } = config;
  const [rows = 0] = start.ids.shape;
  const { pastLength, writes } = start;
  const group = queryGroup(config);
  const [cos, sin] = [named(state, "ropeCos"), named(state, "ropeSin")];
  const lastPosition = tf.scalar((cos.shape[0] ?? 0) - 1, "int32");
  const plan = writes ? writePlan(start.positions, steps, pastLength, kvHeads) : undefined;
  const unread = start.positions
    .reshape([rows, 1, 1])
    .lessEqual(tf.range(0, pastLength, 1, "int32").reshape([1, 1, pastLength]))
    .toFloat()
    .mul(-1e9); // [S, 1, T]
  const all = { first: 0, count: heads + 2 * kvHeads };
  const turning = { first: 0, count: heads + kvHeads };
  // The host draws from the logits of a call of one step, and any of them may matter to it.
  const isRough = steps > 1 && hasRoughLogits(state, config);
  const drawn: Drawn[] = [];
  const entries: Memory[][] = Array.from({ length: config.layers }, () => []);

  let past = start.past;
  let ids = start.ids;
  let own: Memories | undefined;
  let logits: tf.Tensor | undefined;
  for (let step = 0; step < steps; step++) {
    const positions = start.positions.add(tf.scalar(step, "int32")).minimum(lastPosition);
    const turn = (table: tf.Tensor) => tf.gather(table, positions).reshape([rows, 1, 1, headDim]);
    const [stepCos, stepSin] = [turn(cos), turn(sin)];
    const embedded = tf.gather(named(state, "embedding"), ids); // [S, D]
    const memories = own === undefined ? [past] : [past, own];
    const at = plan?.(step);
    let layer = 0;
    const walked = walkLayers(state, embedded, memories, config, (weights, x, [before, beside]) => {
      const joint = projectHeads(weights, unitNorm(x, config), all, config); // [S, H+2KV, hd]
      const plain = part(joint, 1, 0, turning.count).reshape([rows, turning.count, 1, headDim]);
      const turned = rotateHeads(weights, plain, turning, stepCos, stepSin, config);
      const query = part(turned, 1, 0, heads).reshape([rows * kvHeads, group, headDim]);
      const fresh = {
        keys: part(turned, 1, heads, kvHeads).reshape([rows * kvHeads, headDim]),
        values: part(joint, 1, heads + kvHeads, kvHeads).reshape([rows * kvHeads, headDim]),
      };
      if (at !== undefined) entries[layer++]?.push(fresh);
      const { mixed, memory }: StepAttention =
        at === undefined
          ? attendBeside(query, before as Memory, beside, fresh, unread)
          : attendWritten(query, before as Memory, fresh, at);
      return { x: afterAttention(weights, x, mixed.reshape([rows, heads * headDim]), config), memory };
    });
    if (writes) past = walked.memory;
    else own = walked.memory;
    const uniforms = part(start.uniforms, 0, step, 1).reshape([rows]);
    const rough = isRough ? roughLogits(state, walked.x, config) : undefined;
    logits = rough?.logits ?? pageLogits(state, walked.x, config);
    const choice = drawTokens(logits, uniforms, start.inverseTemperature, rough?.logitsAt);
    drawn.push(choice);
    ids = choice.tokens;
  }
  return { drawn, logits: logits as tf.Tensor, memory: own ?? [], entries };
}
