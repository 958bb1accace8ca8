import { tf } from "@palimpsest/jit";
import { murmurMix32 } from "@palimpsest/std/random";

/** The inverse temperature of a greedy row: every logit below the largest gets weight 0. */
export const greedyInverseTemperature = 1e30;

/** The draws of all rows. */
export interface Drawn {
  /** int32 [S] */
  readonly tokens: tf.Tensor;
  /** float32 [S], nats, before temperature. */
  readonly logprobs: tf.Tensor;
  /** float32 [S], nats, after temperature. */
  readonly sampledLogprobs: tf.Tensor;
}

/**
 * Draws one token per row by inverting the cumulative distribution at a uniform number that is passed in. Rows share no
 * random stream, so a row's token does not depend on the other rows of the batch.
 * @param logits             float32 [S, V]
 * @param uniforms           float32 [S], in [0, 1); 0 for greedy rows, which take the first of the largest
 * @param inverseTemperature float32 [S], > 0
 * @param logitsAt           the logits of one token per row; default: those of `logits`
 */
export function drawTokens(
  logits: tf.Tensor,
  uniforms: tf.Tensor,
  inverseTemperature: tf.Tensor,
  logitsAt?: (tokens: tf.Tensor) => tf.Tensor,
): Drawn {
  const [rows = 0, vocabSize = 0] = logits.shape;
  const largest = logits.max(-1, true);
  const shifted = logits.sub(largest); // [S, V], ≤ 0
  const weights = shifted.mul(inverseTemperature.reshape([rows, 1])).exp(); // not normalized
  const { tokens, total } = invert(weights, uniforms);
  const chosen =
    logitsAt === undefined
      ? tf.gather(shifted.reshape([rows * vocabSize]), flatIndex(tokens, rows, vocabSize))
      : logitsAt(tokens).sub(largest.reshape([rows])); // [S]
  return {
    tokens,
    logprobs: chosen.sub(shifted.exp().sum(-1).log()),
    sampledLogprobs: chosen.mul(inverseTemperature).sub(total.log()),
  };
}

/**
 * Returns the first index at which the running sum of a row exceeds uniform · total: first finds its block, then the index
 * within the block. Summing blocks costs one pass over the row; a running sum over the whole row costs thirty.
 * @param weights  float32 [S, V], ≥ 0, some > 0
 * @param uniforms float32 [S], in [0, 1)
 * @returns tokens int32 [S], an index of positive weight; total float32 [S], the sum of the weights
 */
export function invert(
  weights: tf.Tensor,
  uniforms: tf.Tensor,
): { readonly tokens: tf.Tensor; readonly total: tf.Tensor } {
  const [rows = 0, size = 0] = weights.shape;
  const width = blockWidth(size);
  const count = Math.ceil(size / width);
  const padding = count * width - size;
  const padded =
    padding === 0
      ? weights
      : tf.pad(weights, [
          [0, 0],
          [0, padding],
        ]);
  const blocks = padded.reshape([rows, count, width]);
  const sums = blocks.sum(-1); // [S, count]
  const ends = sums.cumsum(1);
  const total = ends.slice([0, count - 1], [rows, 1]); // [S, 1]
  const target = total.mul(uniforms.reshape([rows, 1])); // [S, 1]
  const block = countAtMost(ends, target); // [S]
  const flat = flatIndex(block, rows, count);
  const start = tf.gather(ends.sub(sums).reshape([rows * count]), flat).reshape([rows, 1]);
  const running = tf.gather(blocks.reshape([rows * count, width]), flat).cumsum(1); // [S, width]
  const end = running.slice([0, width - 1], [rows, 1]);
  // Rounding may leave the rest below 0 or at the block's end; neither may pick an entry of weight 0.
  const rest = target
    .sub(start)
    .maximum(0)
    .minimum(end.mul(1 - 2 ** -22));
  const tokens = block.mul(tf.scalar(width, "int32")).add(countAtMost(running, rest));
  return { tokens, total: total.reshape([rows]) };
}

/** Counts the entries of each row that are at most the row's bound. @returns int32 [S] */
function countAtMost(values: tf.Tensor, bound: tf.Tensor): tf.Tensor {
  return values.lessEqual(bound).toFloat().sum(-1).toInt();
}

/** row·width + column, for a gather from a flattened matrix. @param columns int32 [rows] */
function flatIndex(columns: tf.Tensor, rows: number, width: number): tf.Tensor {
  return tf.range(0, rows, 1, "int32").mul(tf.scalar(width, "int32")).add(columns);
}

/** About the square root of the size, and a divisor of it if there is one nearby, so that nothing needs padding. */
export function blockWidth(size: number): number {
  const root = Math.ceil(Math.sqrt(size));
  for (let width = root; width <= 4 * root; width++) if (size % width === 0) return width;
  return root;
}

/**
 * The uniform number of one draw, in [0, 1), derived from the request's seed and the index of the sampled token.
 * It has 23 bits, so that its product with a float32 total stays below the total.
 */
export function drawUniform(seed: number, index: number): number {
  let hash = murmurMix32((seed | 0) + 0x9e3779b9);
  hash = murmurMix32((hash ^ Math.trunc(seed / 2 ** 32)) + 0x85ebca6b);
  hash = murmurMix32((hash ^ index) + 0xc2b2ae35);
  return (hash >>> 9) / 2 ** 23;
}
