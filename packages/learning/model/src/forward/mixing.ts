import { entry, rotatePairs, tf } from "@palimpsest/jit";
import { scoreScale } from "../base/architecture.js";
import type { AttentionKind } from "../base/attention-kind.js";
import type { ModelConfig } from "../base/config.js";
import { type AttentionMask, attention } from "./attention.js";
import type { Constants } from "./layer-constants.js";
import { rmsNorm } from "./norm.js";
import { replyAttention } from "./reply-attention.js";
import { ropeTurns } from "./rope.js";

/*
 * Attention over the tokens of one pass in their layout: whole sequences, several rows packed into a sequence, or prompts
 * that several replies share. Everything else in a block is independent of the layout.
 */

/** Queries, keys and values of all tokens, float32 [tokens, heads · headDim]. */
export interface Projections {
  readonly query: tf.Tensor;
  readonly key: tf.Tensor;
  readonly value: tf.Tensor;
}

/** Both int32 [B, T]. */
export interface Packing {
  /** The number of each token's row in the sequence. */
  readonly segments: tf.Tensor;
  /** Positions counted from the row's first token. */
  readonly positions: tf.Tensor;
  /** Upper bound on the rows in all sequences together; default one row per token. */
  readonly count?: number | undefined;
}

/** Layout of flattened tokens: all prompts [prompts, promptLength], then all replies [prompts, replies, replyLength]. */
export interface SharedPrompts {
  readonly prompts: number;
  readonly promptLength: number;
  /** Number of replies per prompt. */
  readonly replies: number;
  readonly replyLength: number;
  /** int32 [prompts], tokens of each prompt without padding; its replies continue at that position. */
  readonly promptLengths: tf.Tensor;
}

/** Options that determine the layout of tokens and how attention runs. */
export interface MixingOptions {
  readonly attentionBlock?: number | undefined;
  /** With shared prompts: positions of every reply computed at a time. */
  readonly replyBlock?: number | undefined;
  readonly packing?: Packing | undefined;
  readonly sharing?: SharedPrompts | undefined;
}

interface Mixing {
  readonly constants: Constants;
  /** @returns float32 [tokens, heads · headDim] */
  mix(projections: Projections, layer: Constants, constants: Constants): tf.Tensor;
}

/**
 * @param shape the shape of the token ids
 * @param kind  the attention of the layers that get the constants; `mix` is the same for all kinds
 */
export function mixingOf(
  shape: readonly number[],
  config: ModelConfig,
  kind: AttentionKind,
  options: MixingOptions,
): Mixing {
  const { sharing } = options;
  if (sharing !== undefined) {
    const { prompts, promptLength } = sharing;
    const form = { attentionBlock: options.attentionBlock };
    const { replyBlock } = options;
    return {
      constants: {
        ...sequenceConstants(config, kind, promptLength, form),
        ...replyConstants(config, kind, sharing, replyBlock),
      },
      mix: (projections, layer, constants) => {
        const ofPrompts = prompts * promptLength;
        const [before, after] = splitAt(projections, ofPrompts);
        const promptHeads = headsOf(before, layer, constants, config, prompts, promptLength);
        return tf.concat(
          [
            mixed(promptHeads, constants, form),
            mixedReplies(after, promptHeads, layer, constants, config, { ...sharing, replyBlock }),
          ],
          0,
        );
      },
    };
  }
  const [batch = 0, length = 0] = shape;
  return {
    constants: sequenceConstants(config, kind, length, options),
    mix: (projections, layer, constants) =>
      mixed(headsOf(projections, layer, constants, config, batch, length), constants, options),
  };
}

function sequenceConstants(
  config: ModelConfig,
  kind: AttentionKind,
  length: number,
  options: MixingOptions,
): Constants {
  const { packing } = options;
  const turned = (factor: number): tf.Tensor => {
    const rows = tf.tensor2d(ropeTurns(kind, length, factor), [length, config.headDim]);
    if (packing === undefined) return rows.reshape([1, 1, length, config.headDim]);
    const [batch = 0] = packing.positions.shape;
    const places = packing.positions.reshape([batch * length]);
    return tf.gather(rows, places).reshape([batch, 1, length, config.headDim]);
  };
  // [1 or B, 1, T, headDim], queries with the scale of the scores.
  const tables = { queryTurns: turned(scoreScale(config)), keyTurns: turned(1) };
  const { attentionBlock } = options;
  const isBlocked = attentionBlock !== undefined && attentionBlock < length;
  // [1 or B, 1, T, T], 0 where a position may attend, else -1e9.
  if (!isBlocked) return { ...tables, bias: denseMask(length, packing?.segments, kind.window) };
  return {
    ...tables,
    ...windowOf(kind),
    ...(packing === undefined ? {} : { segments: packing.segments }),
  };
}

function windowOf({ window }: AttentionKind): Constants {
  return window === undefined ? {} : { window: tf.scalar(window, "int32") };
}

/** Computes the mask from two ranges and a comparison, because a [T, T] constant would be stored in the graph. */
function denseMask(length: number, segments: tf.Tensor | undefined, window: number | undefined): tf.Tensor {
  const unseen = outside(length, window).reshape([1, 1, length, length]);
  if (segments === undefined) return unseen.toFloat().mul(-1e9);
  const [batch = 0] = segments.shape;
  const other = segments.reshape([batch, 1, 1, length]).notEqual(segments.reshape([batch, 1, length, 1]));
  return tf.logicalOr(unseen, other).toFloat().mul(-1e9);
}

/** bool [T, T], true where the key is later than the query, or before its window. */
function outside(length: number, window: number | undefined): tf.Tensor {
  const positions = tf.range(0, length, 1, "int32");
  const [keys, queries] = [positions.reshape([1, length]), positions.reshape([length, 1])];
  const later = keys.greater(queries);
  if (window === undefined) return later;
  return tf.logicalOr(later, queries.sub(keys).greaterEqual(tf.scalar(window, "int32")));
}

function replyConstants(
  config: ModelConfig,
  kind: AttentionKind,
  sharing: SharedPrompts,
  replyBlock: number | undefined,
): Constants {
  const { prompts, promptLength, replyLength, promptLengths } = sharing;
  const { headDim } = config;
  const { window } = kind;
  const positions = promptLengths
    .reshape([prompts, 1])
    .add(tf.range(0, replyLength, 1, "int32").reshape([1, replyLength]));
  const turned = (factor: number): tf.Tensor => {
    const total = promptLength + replyLength;
    const rows = tf.tensor2d(ropeTurns(kind, total, factor), [total, headDim]);
    return tf
      .gather(rows, positions.reshape([prompts * replyLength]))
      .reshape([prompts, 1, replyLength, headDim]);
  };
  const keys = tf.range(0, promptLength, 1, "int32").reshape([1, 1, promptLength]);
  const behind = keys.greaterEqual(promptLengths.reshape([prompts, 1, 1]));
  const queries = positions.reshape([prompts, replyLength, 1]);
  // A window moves, so that the mask has a row for each position of a reply.
  const unseen =
    window === undefined
      ? behind
      : tf.logicalOr(behind, queries.sub(keys).greaterEqual(tf.scalar(window, "int32")));
  const isBlocked = replyBlock !== undefined && replyBlock < replyLength;
  return {
    // [P, 1, Lr, headDim]
    replyQueryTurns: turned(scoreScale(config)),
    replyKeyTurns: turned(1),
    promptBias: unseen.toFloat().mul(-1e9), // [P, 1 or Lr, Lp]
    ...(isBlocked
      ? windowOf(kind)
      : {
          ownBias: outside(replyLength, window).toFloat().mul(-1e9).reshape([1, replyLength, replyLength]),
        }),
  };
}

/** Queries, keys and values by head, rotated, [B, heads, T, headDim]. */
interface Heads {
  readonly query: tf.Tensor;
  readonly key: tf.Tensor;
  readonly value: tf.Tensor;
}

function headsOf(
  { query, key, value }: Projections,
  layer: Constants,
  constants: Constants,
  { heads, kvHeads, headDim, rmsNormEps }: ModelConfig,
  batch: number,
  length: number,
): Heads {
  const byHead = (flat: tf.Tensor, count: number): tf.Tensor =>
    flat.reshape([batch, length, count, headDim]).transpose([0, 2, 1, 3]);
  return {
    query: turn(byHead(query, heads), layer["queryNorm"], constants["queryTurns"], rmsNormEps),
    key: turn(byHead(key, kvHeads), layer["keyNorm"], constants["keyTurns"], rmsNormEps),
    value: byHead(value, kvHeads),
  };
}

function turn(
  y: tf.Tensor,
  gain: tf.Tensor | undefined,
  turns: tf.Tensor | undefined,
  eps: number,
): tf.Tensor {
  return rotatePairs(gain === undefined ? y : rmsNorm(y, gain, eps), turns as tf.Tensor);
}

/** Causal attention over whole sequences. @returns float32 [B·T, heads · headDim] */
function mixed({ query, key, value }: Heads, constants: Constants, options: MixingOptions): tf.Tensor {
  const [batch = 0, heads = 0, length = 0, width = 0] = query.shape;
  return attention(query, key, value, maskOf(constants, options))
    .transpose([0, 2, 1, 3])
    .reshape([batch * length, heads * width]);
}

function maskOf({ bias, segments, window }: Constants, { attentionBlock }: MixingOptions): AttentionMask {
  if (bias !== undefined) return { kind: "dense", bias };
  return { kind: "blocked", block: attentionBlock ?? 1, segments, window };
}

/** Attention of the replies to their prompts and to themselves. @returns float32 [P·M·Lr, heads · headDim] */
function mixedReplies(
  { query, key, value }: Projections,
  prompt: Heads,
  layer: Constants,
  constants: Constants,
  { heads, kvHeads, headDim, rmsNormEps }: ModelConfig,
  sharing: SharedPrompts & Pick<MixingOptions, "replyBlock">,
): tf.Tensor {
  const { prompts: P, replies: M, replyLength: Lr } = sharing;
  const { ownBias, window } = constants;
  const group = heads / kvHeads;
  // [P, K, M, group, Lr, d]: the rows that meet a prompt's keys are contiguous, and so are those that meet a reply's own keys.
  const byHead = (flat: tf.Tensor, count: number): tf.Tensor =>
    flat.reshape([P, M, Lr, kvHeads, count, headDim]).transpose([0, 3, 1, 4, 2, 5]);
  const turned = (x: tf.Tensor, gain: tf.Tensor | undefined, turns: tf.Tensor | undefined): tf.Tensor =>
    turn(x.reshape([P, x.size / (P * Lr * headDim), Lr, headDim]), gain, turns, rmsNormEps);
  const queries = turned(byHead(query, group), layer["queryNorm"], constants["replyQueryTurns"]);
  const keys = turned(byHead(key, 1), layer["keyNorm"], constants["replyKeyTurns"]);
  const own = [P, kvHeads, M, Lr, headDim];
  return replyAttention(
    queries.reshape([P, kvHeads, M, group, Lr, headDim]),
    {
      promptKeys: prompt.key,
      promptValues: prompt.value,
      ownKeys: keys.reshape(own),
      ownValues: byHead(value, 1).reshape(own),
    },
    entry(constants, "promptBias"),
    ownBias === undefined
      ? { kind: "blocked", block: sharing.replyBlock ?? 1, window }
      : { kind: "dense", bias: ownBias },
  )
    .transpose([0, 2, 4, 1, 3, 5])
    .reshape([P * M * Lr, heads * headDim]);
}

/** The first `count` rows, and the rest. */
function splitAt(all: Projections, count: number): [Projections, Projections] {
  const cut = (x: tf.Tensor): [tf.Tensor, tf.Tensor] => {
    const [tokens = 0] = x.shape;
    return tf.split(x, [count, tokens - count], 0) as [tf.Tensor, tf.Tensor];
  };
  const [query, key, value] = [cut(all.query), cut(all.key), cut(all.value)];
  return [
    { query: query[0], key: key[0], value: value[0] },
    { query: query[1], key: key[1], value: value[1] },
  ];
}
