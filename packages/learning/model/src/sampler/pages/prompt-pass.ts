import { type Tensors, tf } from "@palimpsest/jit";
import { type ModelConfig, queryGroup } from "../../base/config.js";
import { scaledEmbedding } from "../../forward/embedding.js";
import {
  afterAttention,
  named,
  part,
  projectHeads,
  rotateHeads,
  unitNorm,
} from "../weights/packed-layers.js";
import { runsAsLoop } from "../weights/packed-weights.js";
import { type LayerBody, type Memories, type Memory, walkLayers } from "./layer-walk.js";
import { pageKinds, ropeTable } from "./rope-state.js";

/** Pieces of prompts, and the past of their requests. */
export interface PromptPieces {
  /** int32 [R, C], right-padded. */
  readonly ids: tf.Tensor;
  /** int32 [R], ≥ 1: tokens of each piece. */
  readonly lengths: tf.Tensor;
  /** Absent if all pieces are at the beginning of their prompts. */
  readonly past?: {
    /** int32 [R]: number of valid entries of `memory`, which is also the position of the piece's first token. */
    readonly lengths: tf.Tensor;
    /** [R·KV, T, hd] of each layer. */
    readonly memory: Memories;
    /** T */
    readonly size: number;
  };
}

/** The results of reading pieces. */
export interface PromptPass {
  /** float32 [R, D]: residual stream at each piece's last token, before the final norm. */
  readonly last: tf.Tensor;
  /** float32 [R·C, D]: the same at every token, in a model that runs as a loop. */
  readonly all?: tf.Tensor;
  /** [R·KV, C, hd] of each layer. */
  readonly memory: Memories;
}

/**
 * Reads pieces of prompts. When layers are unrolled, the last layer computes queries only for each piece's last token, which
 * halves the time of a two-layer model. Scores are [R·H, C, T + C]: what a long prompt needs at once grows linearly with its length.
 */
export function promptPass(state: Tensors, pieces: PromptPieces, config: ModelConfig): PromptPass {
  const { heads, kvHeads, headDim } = config;
  const { ids, lengths, past } = pieces;
  const [rows = 0, length = 0] = ids.shape;
  const group = queryGroup(config);
  const pastLength = past?.size ?? 0;
  const all = pastLength + length;
  const { kinds, ofLayers } = pageKinds(state, config);
  const constants = kinds.map((kind, index) => ({
    ...turns(state, pieces, index, config),
    later: hidden(pieces, pastLength, kind.window), // [R or 1, 1, C, T+C]
  }));
  const lastPlaces = lengths.sub(tf.scalar(1, "int32")); // [R]
  const lastRows = tf.range(0, rows, 1, "int32").mul(tf.scalar(length, "int32")).add(lastPlaces); // into [R·C]
  /** [N, n, hd] → [R, n, C, hd] */
  const lay = (y: tf.Tensor, n: number) => y.reshape([rows, length, n, headDim]).transpose([0, 2, 1, 3]);
  const own = (keys: tf.Tensor, values: tf.Tensor): Memory => {
    const shape: [number, number, number] = [rows * kvHeads, length, headDim];
    return { keys: keys.reshape(shape), values: values.reshape(shape) };
  };
  const joined = (memory: Memory, before: Memory | undefined): Memory =>
    before === undefined
      ? memory
      : {
          keys: tf.concat([before.keys, memory.keys], 1),
          values: tf.concat([before.values, memory.values], 1),
        };

  const whole: LayerBody<PromptConstants> = (weights, x, [before], { cos, sin, later }) => {
    const everyHead = { first: 0, count: heads + 2 * kvHeads };
    const joint = lay(projectHeads(weights, unitNorm(x, config), everyHead, config), everyHead.count);
    const turning = { first: 0, count: heads + kvHeads };
    const turned = rotateHeads(weights, part(joint, 1, 0, turning.count), turning, cos, sin, config);
    const memory = own(part(turned, 1, heads, kvHeads), part(joint, 1, heads + kvHeads, kvHeads));
    const seen = joined(memory, before);
    const queries = part(turned, 1, 0, heads).reshape([rows * kvHeads, group * length, headDim]);
    const shares = tf
      .matMul(queries, seen.keys, false, true)
      .reshape([rows, heads, length, all])
      .add(later)
      .softmax(-1)
      .reshape([rows * kvHeads, group * length, all]);
    const mixed = tf
      .matMul(shares, seen.values) // [R·KV, group·C, hd]
      .reshape([rows, heads, length, headDim])
      .transpose([0, 2, 1, 3])
      .reshape([rows * length, heads * headDim]);
    return { x: afterAttention(weights, x, mixed, config), memory }; // [R·C, D]
  };

  const lastToken: LayerBody<PromptConstants> = (weights, x, [before], { cos, sin, later }) => {
    const normed = unitNorm(x, config);
    const keyHeads = { first: heads, count: kvHeads };
    const joint = lay(
      projectHeads(weights, normed, { first: heads, count: 2 * kvHeads }, config),
      2 * kvHeads,
    );
    const keys = rotateHeads(weights, part(joint, 1, 0, kvHeads), keyHeads, cos, sin, config);
    const memory = own(keys, part(joint, 1, kvHeads, kvHeads));
    const seen = joined(memory, before);
    const queryHeads = { first: 0, count: heads };
    const asking = projectHeads(weights, tf.gather(normed, lastRows), queryHeads, config); // [R, H, hd]
    const [turnCos, turnSin] = [atLast(cos, lastPlaces), atLast(sin, lastPlaces)];
    const lastQueries = asking.reshape([rows, heads, 1, headDim]);
    const queries = rotateHeads(weights, lastQueries, queryHeads, turnCos, turnSin, config);
    const shares = tf
      .matMul(queries.reshape([rows * kvHeads, group, headDim]), seen.keys, false, true)
      .reshape([rows, heads, all])
      .add(atLast(later, lastPlaces).reshape([rows, 1, all]))
      .softmax(-1)
      .reshape([rows * kvHeads, group, all]);
    const mixed = tf.matMul(shares, seen.values).reshape([rows, heads * headDim]);
    return { x: afterAttention(weights, tf.gather(x, lastRows), mixed, config), memory };
  };

  const embedded = tf.gather(named(state, "embedding"), ids.reshape([rows * length])); // [R·C, D]
  const start = scaledEmbedding(embedded, config);
  const memories = past === undefined ? [] : [past.memory];
  const walked = walkLayers(
    state,
    start,
    memories,
    { constants, ofLayers },
    config,
    (weights, x, seen, own, isLast) => (isLast ? lastToken : whole)(weights, x, seen, own, isLast),
  );
  if (!runsAsLoop(config)) return { last: walked.x, memory: walked.memory };
  return { last: tf.gather(walked.x, lastRows), all: walked.x, memory: walked.memory };
}

/** Tensors that layers with the same kind of attention share. */
type PromptConstants = Readonly<Record<"cos" | "sin" | "later", tf.Tensor>>;

/** Cosines and sines of the pieces' positions, [R or 1, 1, C, hd], for one kind of attention. */
function turns(
  state: Tensors,
  { ids, past }: PromptPieces,
  kind: number,
  { headDim }: ModelConfig,
): { readonly cos: tf.Tensor; readonly sin: tf.Tensor } {
  const [rows = 0, length = 0] = ids.shape;
  const of = (name: "ropeCos" | "ropeSin") => {
    const table = ropeTable(state, name, kind);
    if (past === undefined) return part(table, 0, 0, length).reshape([1, 1, length, headDim]);
    const positions = past.lengths
      .reshape([rows, 1])
      .add(tf.range(0, length, 1, "int32").reshape([1, length]));
    const within = positions.minimum(tf.scalar((table.shape[0] ?? 0) - 1, "int32"));
    return tf.gather(table, within.flatten()).reshape([rows, 1, length, headDim]);
  };
  return { cos: of("ropeCos"), sin: of("ropeSin") };
}

/**
 * The mask: -1e9 where a token may not attend, which is at later tokens, at invalid entries of the past, and before its
 * window.
 */
function hidden({ ids, past }: PromptPieces, pastLength: number, window: number | undefined): tf.Tensor {
  const [rows = 0, length = 0] = ids.shape;
  const places = tf.range(0, length, 1, "int32");
  const [keys, queries] = [places.reshape([1, 1, 1, length]), places.reshape([1, 1, length, 1])];
  const isBefore = (distance: tf.Tensor, size: number) => distance.greaterEqual(tf.scalar(size, "int32"));
  const later = keys.greater(queries);
  const unseen = window === undefined ? later : tf.logicalOr(later, isBefore(queries.sub(keys), window));
  const own = unseen.toFloat().mul(-1e9); // [1, 1, C, C]
  if (past === undefined) return own;
  const lengths = past.lengths.reshape([rows, 1, 1, 1]);
  const entries = tf.range(0, pastLength, 1, "int32").reshape([1, 1, 1, pastLength]);
  const unread = lengths.lessEqual(entries); // [R, 1, 1, T]
  const ofPast =
    window === undefined
      ? unread.toFloat().mul(-1e9).tile([1, 1, length, 1])
      : tf
          .logicalOr(unread, isBefore(lengths.add(queries).sub(entries), window))
          .toFloat()
          .mul(-1e9); // [R, 1, C, T]
  return tf.concat([ofPast, own.tile([rows, 1, 1, 1])], 3);
}

/** Selects each row's entry at its position. @param table [R or 1, 1, C, n]. @param places int32 [R]. @returns [R, 1, 1, n] */
function atLast(table: tf.Tensor, places: tf.Tensor): tf.Tensor {
  const [count = 0, , length = 0, width = 0] = table.shape;
  const [rows = 0] = places.shape;
  const first = tf.range(0, rows, 1, "int32").mul(tf.scalar(count === 1 ? 0 : length, "int32"));
  return tf.gather(table.reshape([count * length, width]), first.add(places)).reshape([rows, 1, 1, width]);
}
