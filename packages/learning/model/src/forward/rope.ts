import { customGrad, tf } from "@palimpsest/jit";
import type { Rotation } from "../base/attention-kind.js";
import type { RopeScaling } from "../base/config.js";

/** Angular frequencies of the rotary pairs, [headDim / 2], in radians per position. */
export function ropeFrequencies({ headDim, ropeTheta, ropeScaling }: Rotation): number[] {
  const half = headDim / 2;
  const frequencies = Array.from({ length: half }, (_, i) => ropeTheta ** (-i / half));
  switch (ropeScaling?.type) {
    case undefined:
    // Up to maxPositions the frequencies are those of the base.
    case "dynamic":
      return frequencies;
    case "linear":
      return frequencies.map((frequency) => frequency / ropeScaling.factor);
    case "llama3":
      return frequencies.map((frequency) => llama3Frequency(frequency, ropeScaling));
    case "yarn": {
      const kept = yarnRamp(headDim, ropeTheta, ropeScaling);
      return frequencies.map((frequency, i) => {
        const share = kept(i);
        return (1 - share) * (frequency / ropeScaling.factor) + share * frequency;
      });
    }
  }
}

function llama3Frequency(
  frequency: number,
  { factor, lowFreqFactor, highFreqFactor, originalMaxPositions }: ScalingOf<"llama3">,
): number {
  const turns = (originalMaxPositions * frequency) / (2 * Math.PI);
  if (turns <= lowFreqFactor) return frequency / factor;
  if (turns >= highFreqFactor) return frequency;
  const kept = (turns - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
  return (1 - kept) * (frequency / factor) + kept * frequency;
}

/** Returns the share of a pair's frequency that is not scaled, by the pair's index: 1 at high frequencies, 0 at low ones. */
function yarnRamp(
  headDim: number,
  base: number,
  { betaFast, betaSlow, originalMaxPositions, truncate }: ScalingOf<"yarn">,
): (pair: number) => number {
  // The pair, in general a fraction, that turns this many times in the original context.
  const pairOf = (turns: number) =>
    (headDim * Math.log(originalMaxPositions / (turns * 2 * Math.PI))) / (2 * Math.log(base));
  const [fast, slow] = [pairOf(betaFast), pairOf(betaSlow)];
  const first = Math.max(truncate ? Math.floor(fast) : fast, 0);
  const last = Math.min(truncate ? Math.ceil(slow) : slow, headDim - 1);
  // As in transformers, a ramp without a width becomes a step.
  const width = first === last ? 0.001 : last - first;
  return (pair) => 1 - Math.min(1, Math.max(0, (pair - first) / width));
}

/** The factor on rotated queries and keys. */
function rotationScale({ ropeScaling }: Rotation): number {
  if (ropeScaling?.type !== "yarn") return 1;
  const { attentionFactor, factor, mscale, mscaleAllDim } = ropeScaling;
  const scaled = (weight: number) => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1);
  if (attentionFactor !== undefined) return attentionFactor;
  return mscale === undefined || mscaleAllDim === undefined
    ? scaled(1)
    : scaled(mscale) / scaled(mscaleAllDim);
}

type ScalingOf<Type extends RopeScaling["type"]> = Extract<RopeScaling, { readonly type: Type }>;

/**
 * Cosines and sines of positions 0 … positions-1, times what the scaling multiplies queries and keys by, each [positions, headDim] row-major. Both halves of a
 * row have the same angles: element i is rotated with element i + headDim / 2 (the Hugging Face layout). The
 * sines of the first half are negative, so that `rotate` need not negate its operand.
 */
export function ropeTables(
  rotation: Rotation,
  positions: number,
): { readonly cos: Float32Array; readonly sin: Float32Array } {
  const { headDim } = rotation;
  const half = headDim / 2;
  const cos = new Float32Array(positions * headDim);
  const sin = new Float32Array(positions * headDim);
  const frequencies = ropeFrequencies(rotation);
  const scale = rotationScale(rotation);
  for (let position = 0; position < positions; position++) {
    frequencies.forEach((frequency, i) => {
      const row = position * headDim;
      const angle = position * frequency;
      cos[row + i] = scale * Math.cos(angle);
      cos[row + half + i] = cos[row + i] as number;
      sin[row + half + i] = scale * Math.sin(angle);
      sin[row + i] = -(sin[row + half + i] as number);
    });
  }
  return { cos, sin };
}

/**
 * The same angles for heads whose pairs are interleaved (`sideBySide`): cosine and sine alternate, times a factor.
 * @returns [positions, headDim] row-major, for `rotatePairs`
 */
export function ropeTurns(rotation: Rotation, positions: number, factor = 1): Float32Array {
  const { cos, sin } = ropeTables(rotation, positions);
  const { headDim } = rotation;
  const half = headDim / 2;
  return Float32Array.from(cos, (_, at) => {
    const [row, place] = [Math.floor(at / headDim) * headDim, at % headDim];
    const pair = row + Math.floor(place / 2);
    return factor * ((place % 2 === 0 ? cos[pair] : sin[pair + half]) as number);
  });
}

/**
 * Reorders the columns of every head so that the two elements of a pair, i and i + headDim / 2, are adjacent. Scores
 * do not change if queries and keys are both reordered.
 * @param x float32 [..., n · headDim]
 * @returns x's shape; differentiable
 */
export function sideBySide(x: tf.Tensor, headDim: number): tf.Tensor {
  const heads = x.size / headDim;
  return x
    .reshape([heads, 2, headDim / 2])
    .transpose([0, 2, 1])
    .reshape(x.shape);
}

/**
 * Rotates each pair (i, i + headDim / 2) of the last axis by its position's angle.
 * @param x   float32 [B, n, T, headDim]
 * @param cos from `ropeTables`, broadcasts to x; so does sin. No gradient.
 * @returns x's shape; differentiable in x: the gradient is rotated back
 */
export function rotate(x: tf.Tensor, cos: tf.Tensor, sin: tf.Tensor): tf.Tensor {
  return customGrad(
    [x],
    (input) => ({ value: input.mul(cos).add(swapHalves(input).mul(sin)), saved: [cos, sin] }),
    // The halves of sin are each other's negatives, so that swapping them rotates in the opposite direction.
    (gradient, [keptCos, keptSin]) => [gradient.mul(keptCos).sub(swapHalves(gradient).mul(keptSin))],
  );
}

function swapHalves(x: tf.Tensor): tf.Tensor {
  const [first, second] = tf.split(x, 2, -1) as [tf.Tensor, tf.Tensor];
  return tf.concat([second, first], -1);
}
