import { entry, type Tensors, tf } from "@palimpsest/jit";
import { type ModelConfig, queryGroup } from "../../base/config.js";
import { scaledEmbedding } from "../../forward/embedding.js";
import type { Constants } from "../../forward/layer-constants.js";
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
import { attendBeside, attendWritten, type StepAttention, unseen, writePlan } from "./decode-attention.js";
import { type LayerBody, type Memories, type Memory, walkLayers } from "./layer-walk.js";
import { pageKinds, ropeTable } from "./rope-state.js";
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

/** Tensors that layers with the same kind of attention share in one step. */
type DecodeConstants = Readonly<Record<"cos" | "sin" | "hidden", tf.Tensor>> & {
  readonly besideHidden?: tf.Tensor;
};

/** Samples `steps` tokens per row. The cache is written once per call and not once per token. */
export function decodeSteps(state: Tensors, start: DecodeStart, steps: number, config: ModelConfig): Decoded {
  const { heads, kvHeads, headDim } = config;
  const [rows = 0] = start.ids.shape;
  const { pastLength, writes } = start;
  const group = queryGroup(config);
  const { kinds, ofLayers } = pageKinds(state, config);
  const tables = kinds.map((_, kind) => ({
    cos: ropeTable(state, "ropeCos", kind),
    sin: ropeTable(state, "ropeSin", kind),
  }));
  const lastPosition = tf.scalar((tables[0]?.cos.shape[0] ?? 0) - 1, "int32");
  const windows = kinds.map(({ window }) => window);
  const plan = writes ? writePlan(start.positions, steps, pastLength, kvHeads, windows) : undefined;
  const entriesOfPast = tf.range(0, pastLength, 1, "int32").reshape([1, 1, pastLength]);
  const isUnread = start.positions.reshape([rows, 1, 1]).lessEqual(entriesOfPast); // [S, 1, T]
  const unread = isUnread.toFloat().mul(-1e9);
  /** What a step's tokens do not see if entries are kept beside the past. */
  const beside = (window: number | undefined, step: number, positions: tf.Tensor): Constants => {
    if (window === undefined) return { hidden: unread };
    const hidden = unseen(positions.reshape([rows, 1, 1]), entriesOfPast, isUnread, window);
    const earlier = tf.tensor1d(Array.from({ length: step + 1 }, (_, at) => (step - at < window ? 0 : -1e9)));
    return { hidden, besideHidden: earlier.reshape([1, 1, step + 1]) };
  };
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
    const embedded = scaledEmbedding(tf.gather(named(state, "embedding"), ids), config); // [S, D]
    const memories = own === undefined ? [past] : [past, own];
    const at = plan?.(step);
    const constants = kinds.map(({ window }, kind): DecodeConstants => {
      const { cos, sin } = entry(tables, kind);
      const masks = at === undefined ? beside(window, step, positions) : { hidden: entry(at.hidden, kind) };
      return { cos: turn(cos), sin: turn(sin), ...masks } as DecodeConstants;
    });
    let layer = 0;
    const body: LayerBody<DecodeConstants> = (weights, x, [before, besideIt], own) => {
      const joint = projectHeads(weights, unitNorm(x, config), all, config); // [S, H+2KV, hd]
      const plain = part(joint, 1, 0, turning.count).reshape([rows, turning.count, 1, headDim]);
      const turned = rotateHeads(weights, plain, turning, own.cos, own.sin, config);
      const query = part(turned, 1, 0, heads).reshape([rows * kvHeads, group, headDim]);
      const fresh = {
        keys: part(turned, 1, heads, kvHeads).reshape([rows * kvHeads, headDim]),
        values: part(joint, 1, heads + kvHeads, kvHeads).reshape([rows * kvHeads, headDim]),
      };
      if (at !== undefined) entries[layer++]?.push(fresh);
      const { mixed, memory }: StepAttention =
        at === undefined
          ? attendBeside(query, before as Memory, besideIt, fresh, own.hidden, own.besideHidden)
          : attendWritten(query, before as Memory, fresh, at.targets, own.hidden);
      return { x: afterAttention(weights, x, mixed.reshape([rows, heads * headDim]), config), memory };
    };
    const walked = walkLayers(state, embedded, memories, { constants, ofLayers }, config, body);
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
