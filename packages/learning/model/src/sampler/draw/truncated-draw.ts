import { entry, scan, type TensorSpec, type Tensors, tf } from "@palimpsest/jit";
import { named } from "../weights/packed-layers.js";
import { type Drawn, invert } from "./draw.js";
import type { DrawRule } from "./truncation.js";

/*
 * Draws with truncation without a sort. In descending order of logits (equal ones by id), top-k, top-p and min-p each keep a
 * prefix, so together they keep the shortest of these, and its mass says where it ends. The draw is the token at which the
 * running sum in that order exceeds uniform · mass. The place where a running sum exceeds a bound is found by narrowing an
 * interval of logits, using sums over all logits above a few thresholds at a time.
 */

/** Each is float32 [S]; to disable a rule for a row use topK 0, topP 1, minP 0. */
export interface Truncation {
  readonly topK: tf.Tensor;
  readonly topP: tf.Tensor;
  readonly minP: tf.Tensor;
}

export function truncationInputs(rows: number): Record<keyof Truncation, TensorSpec> {
  const each: TensorSpec = { shape: [rows], dtype: "float32" };
  return { topK: each, topP: each, minP: each };
}

export function truncationOf(inputs: Tensors): Truncation {
  return { topK: named(inputs, "topK"), topP: named(inputs, "topP"), minP: named(inputs, "minP") };
}

/** Returns whether a row is drawn in descending order of probability, as on the host; other rows are drawn in the order of ids. */
export function truncates({ temperature, topK = 0, topP = 1, minP = 0 }: DrawRule): boolean {
  return temperature > 0 && (topK > 0 || topP < 1 || minP > 0);
}

/** Below this e^x is 0 in float32. */
const lowest = -105;
/** Number of parts of an interval that one pass distinguishes: on a GPU their sums read the row once. */
const parts = 8;
/** 105 / 8⁹ is below the spacing of float32 numbers from 8 on. */
const passes = 9;
/** Keeps a draw below the mass, which was summed in a different order. */
const belowOne = 1 - 2 ** -20;

/**
 * Draws one token per row in the same way as `drawTruncated` of truncation.ts: temperature, then top-k, top-p over what that
 * left, min-p.
 * @param logits float32 [S, V]
 */
export function drawTruncatedTokens(
  logits: tf.Tensor,
  draw: Truncation & { readonly uniforms: tf.Tensor; readonly inverseTemperature: tf.Tensor },
): Drawn {
  const [rows = 0, vocabSize = 0] = logits.shape;
  const column = (x: tf.Tensor) => x.reshape([rows, 1]);
  const [topK, topP, minP] = [column(draw.topK), column(draw.topP), column(draw.minP)];
  const shifted = logits.sub(logits.max(-1, true)); // [S, V], ≤ 0
  const scaled = shifted.mul(column(draw.inverseTemperature));
  const weights = scaled.exp();
  const massOf = (isKept: tf.Tensor) => weights.mul(isKept.toFloat()).sum(-1, true); // [S, 1]
  const isK = topK.greater(0);
  const isP = topP.less(1);

  const kth = pivot(scaled, tf.onesLike(scaled), topK.sub(0.5));
  const ofK = tf.where(isK, massOf(scaled.greaterEqual(kth.value)), weights.sum(-1, true));
  const bound = ofK.mul(topP);
  const last = pivot(scaled, weights, bound);
  const keptTies = bound.sub(last.above).div(last.weight).ceil().maximum(1).minimum(last.ties);
  const ofP = tf.where(isP, last.above.add(keptTies.mul(last.weight)), ofK);
  const isLikelyEnough = weights.greaterEqual(minP);
  const mass = ofP.minimum(massOf(isLikelyEnough));

  const target = mass.mul(column(draw.uniforms)).mul(belowOne);
  const found = pivot(scaled, weights, target);
  const tie = target.sub(found.above).div(found.weight).floor().maximum(0).minimum(found.ties.sub(1));
  // A small weight for every token keeps the choice within the row if nothing is equal, as in rows of NaN.
  const isFound = scaled.equal(found.value).toFloat().add(1e-9);
  const inOrder = invert(isFound, tie.add(0.5).div(isFound.sum(-1, true)).reshape([rows]));
  const byId = invert(weights.mul(isLikelyEnough.toFloat()), draw.uniforms);
  const isSorted = tf.logicalOr(isK, isP).reshape([rows]);
  const tokens = tf.where(isSorted, inOrder.tokens, byId.tokens);
  const at = tf.range(0, rows, 1, "int32").mul(tf.scalar(vocabSize, "int32")).add(tokens);
  const chosen = tf.gather(shifted.reshape([rows * vocabSize]), at);
  return {
    tokens,
    logprobs: chosen.sub(shifted.exp().sum(-1).log()),
    sampledLogprobs: chosen.mul(draw.inverseTemperature).sub(mass.reshape([rows]).log()),
  };
}

interface Pivot {
  /** The logit, in descending order, at which the running sum exceeds the target. */
  readonly value: tf.Tensor;
  /** The sum over all larger logits. */
  readonly above: tf.Tensor;
  /** The number of logits equal to it, as float32. */
  readonly ties: tf.Tensor;
  /** e^value */
  readonly weight: tf.Tensor;
}

/**
 * @param scaled   float32 [S, V], ≤ 0, some 0
 * @param summands float32 [S, V], ≥ 0
 * @param target   float32 [S, 1]
 * @returns float32 [S, 1] each; if the sum never exceeds the target, a value below all logits
 */
function pivot(scaled: tf.Tensor, summands: tf.Tensor, target: tf.Tensor): Pivot {
  const sumAbove = (bound: tf.Tensor) => summands.mul(scaled.greater(bound).toFloat()).sum(-1, true);
  const narrow = ([low, high]: readonly tf.Tensor[]): [tf.Tensor, tf.Tensor] => {
    const [from, to] = [low as tf.Tensor, high as tf.Tensor];
    const width = to.sub(from).div(parts);
    let count: tf.Tensor = tf.zerosLike(target);
    for (let part = 1; part < parts; part++)
      count = count.add(
        sumAbove(from.add(width.mul(part)))
          .greater(target)
          .toFloat(),
      );
    // The last part ends at its interval's end, however its width was rounded.
    const end = tf.where(count.equal(parts - 1), to, from.add(width.mul(count.add(1))));
    return [from.add(width.mul(count)), end];
  };
  const whole = [tf.onesLike(target).mul(lowest), tf.zerosLike(target)];
  const narrowed = scan({
    carry: whole,
    xs: [tf.zeros([passes])],
    body: (carry) => ({ carry: narrow(carry) }),
  });
  const high = entry(narrowed.carry, 1);
  const value = tf.where(scaled.lessEqual(high), scaled, tf.onesLike(scaled).mul(-3e38)).max(-1, true);
  return {
    value,
    above: sumAbove(value),
    ties: scaled.equal(value).toFloat().sum(-1, true),
    weight: value.exp(),
  };
}
