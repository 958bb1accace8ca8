import { customGrad, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../base/config.js";

/** Angular frequencies of the rotary pairs, [headDim / 2], in radians per position. */
export function ropeFrequencies(config: ModelConfig): number[] {
  const half = config.headDim / 2;
  const frequencies = Array.from({ length: half }, (_, i) => config.ropeTheta ** (-i / half));
  const scaling = config.ropeScaling;
  if (scaling === undefined) return frequencies;
  const { factor, lowFreqFactor, highFreqFactor, originalMaxPositions } = scaling;
  return frequencies.map((frequency) => {
    const turns = (originalMaxPositions * frequency) / (2 * Math.PI);
    if (turns <= lowFreqFactor) return frequency / factor;
    if (turns >= highFreqFactor) return frequency;
    const kept = (turns - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
    return (1 - kept) * (frequency / factor) + kept * frequency;
  });
}

/**
 * Cosines and sines of positions 0 … positions-1, each [positions, headDim] row-major. Both halves of a
 * row have the same angles: element i is rotated with element i + headDim / 2 (the Hugging Face layout). The
 * sines of the first half are negative, so that `rotate` need not negate its operand.
 */
export function ropeTables(
  config: ModelConfig,
  positions: number,
): { readonly cos: Float32Array; readonly sin: Float32Array } {
  const half = config.headDim / 2;
  const cos = new Float32Array(positions * config.headDim);
  const sin = new Float32Array(positions * config.headDim);
  const frequencies = ropeFrequencies(config);
  for (let position = 0; position < positions; position++) {
    frequencies.forEach((frequency, i) => {
      const row = position * config.headDim;
      const angle = position * frequency;
      cos[row + i] = Math.cos(angle);
      cos[row + half + i] = cos[row + i] as number;
      sin[row + half + i] = Math.sin(angle);
      sin[row + i] = -(sin[row + half + i] as number);
    });
  }
  return { cos, sin };
}

/**
 * The same angles for heads whose pairs are interleaved (`sideBySide`): cosine and sine alternate, times a factor.
 * @returns [positions, headDim] row-major, for `rotatePairs`
 */
export function ropeTurns(config: ModelConfig, positions: number, factor = 1): Float32Array {
  const { cos, sin } = ropeTables(config, positions);
  const half = config.headDim / 2;
  return Float32Array.from(cos, (_, at) => {
    const [row, place] = [Math.floor(at / config.headDim) * config.headDim, at % config.headDim];
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
