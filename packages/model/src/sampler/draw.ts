import { pickLogprob } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";

/**
 * One token a row by inverting the cumulative distribution at a uniform number that comes from outside:
 * rows share no random stream, so a row's token does not depend on which rows stand beside it.
 * @param logits      float32 [S, V]
 * @param uniforms    float32 [S], in [0, 1)
 * @param temperature float32 [S]; rows with 0 take the most likely token
 * @returns tokens int32 [S]; logprobs float32 [S], nats, before temperature
 */
export function drawTokens(
  logits: tf.Tensor,
  uniforms: tf.Tensor,
  temperature: tf.Tensor,
): { readonly tokens: tf.Tensor; readonly logprobs: tf.Tensor } {
  const [rows, vocabSize] = logits.shape as [number, number];
  const greedy = temperature.lessEqual(0);
  const divisor = tf.where(greedy, tf.onesLike(temperature), temperature).reshape([rows, 1]);
  const weights = logits.sub(logits.max(-1, true)).div(divisor).exp(); // [S, V], not normalised
  const cumulative = weights.cumsum(1);
  const total = cumulative.slice([0, vocabSize - 1], [rows, 1]);
  // The first entry beyond the threshold. A token of weight 0 adds nothing, so it is never the first.
  const below = cumulative.lessEqual(total.mul(uniforms.reshape([rows, 1])));
  const drawn = below.toFloat().sum(-1).toInt();
  const likeliest = logits.argMax(-1).toInt();
  const tokens = tf.where(greedy, likeliest, drawn);
  return { tokens, logprobs: pickLogprob(logits, tokens) };
}

/**
 * The uniform number of one draw, in [0, 1), from the request's seed and the index of the sampled token.
 * 23 bits: the product with a float32 total then stays below the total.
 */
export function drawUniform(seed: number, index: number): number {
  let hash = mix(seed | 0, 0x9e3779b9);
  hash = mix(hash ^ Math.trunc(seed / 2 ** 32), 0x85ebca6b);
  hash = mix(hash ^ index, 0xc2b2ae35);
  return (hash >>> 9) / 2 ** 23;
}

/** The finaliser of murmur3 after adding a constant. */
function mix(value: number, constant: number): number {
  let z = (value + constant) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}
