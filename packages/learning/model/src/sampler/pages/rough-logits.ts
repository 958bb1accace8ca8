import { asType, type Tensors, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import { rmsNorm } from "../../forward/norm.js";
import { tokenlessBias } from "../../tokens/tokenless-ids.js";
import { blockWidth } from "../draw/draw.js";
import { named } from "../weights/packed-layers.js";
import { ROUGH_HEAD } from "../weights/packed-weights.js";

/*
 * Logits by a product in bfloat16, which takes about half the time of one in float32. By itself it would change
 * log-probs too much, because it also rounds its result: logits of 16 to 32 have steps of 0.125. The logits that matter most are
 * therefore computed again in float32: those of the most likely tokens, which decide the sum over the vocabulary, and that of the
 * token that is drawn. Errors of the others are independent and mostly cancel in the sum.
 */

/** Number of likely tokens that are computed again for each row. */
const exactTokens = 8;

export interface RoughLogits {
  /** float32 [S, V] */
  readonly logits: tf.Tensor;
  /** Computes one logit per row in float32. @param tokens int32 [S]. @returns float32 [S] */
  logitsAt(tokens: tf.Tensor): tf.Tensor;
}

/** Whether the state has a head in bfloat16, and the vocabulary consists of whole blocks. */
export function hasRoughLogits(state: Tensors, { vocabSize }: ModelConfig): boolean {
  return ROUGH_HEAD in state && vocabSize % blockWidth(vocabSize) === 0;
}

/** @param x float32 [S, D], before the final norm */
export function roughLogits(state: Tensors, x: tf.Tensor, config: ModelConfig): RoughLogits {
  const { vocabSize, hiddenSize, tieWordEmbeddings } = config;
  const [rows = 0] = x.shape;
  const normed = rmsNorm(x, named(state, "finalNorm"), config.rmsNormEps);
  const head = named(state, tieWordEmbeddings ? "embedding" : "head");
  const { tokenlessIds } = config;
  const bias = tokenlessIds === undefined ? undefined : tokenlessBias(vocabSize, tokenlessIds); // [V]
  const exactly = (tokens: tf.Tensor, count: number) => {
    const flat = tokens.reshape([rows * count]);
    const exact = tf
      .gather(head, flat)
      .reshape([rows, count, hiddenSize])
      .mul(normed.reshape([rows, 1, hiddenSize]))
      .sum(-1);
    // With few tokens, some of the likeliest blocks have none.
    return bias === undefined ? exact : exact.add(tf.gather(bias, flat).reshape([rows, count]));
  };
  const product = tf.matMul(named(state, ROUGH_HEAD), asType(normed, "bfloat16"), false, true);
  const plain = asType(product.transpose(), "float32");
  const rough = bias === undefined ? plain : plain.add(bias);
  const count = Math.min(exactTokens, vocabSize / blockWidth(vocabSize));
  const likely = likelyTokens(rough, count); // [S, count]
  const row = tf.range(0, rows, 1, "int32").reshape([rows, 1]).tile([1, count]);
  const positions = tf.stack([row, likely], -1).reshape([rows * count, 2]);
  return {
    logits: tf.tensorScatterUpdate(rough, positions, exactly(likely, count).reshape([rows * count])),
    logitsAt: (tokens) => exactly(tokens, 1).reshape([rows]),
  };
}

/**
 * Returns the most likely token of each of the blocks that have the most likely ones. Finding the most likely tokens themselves would
 * take as long as the product saves.
 * @param logits float32 [S, V]
 * @returns int32 [S, count]
 */
function likelyTokens(logits: tf.Tensor, count: number): tf.Tensor {
  const [rows = 0, vocabSize = 0] = logits.shape;
  const width = blockWidth(vocabSize);
  const blocks = logits.reshape([rows, vocabSize / width, width]);
  const { indices } = tf.topk(blocks.max(-1), count);
  const first = tf.range(0, rows, 1, "int32").mul(tf.scalar(vocabSize / width, "int32"));
  const flat = indices.add(first.reshape([rows, 1])).reshape([rows * count]);
  const within = tf.gather(blocks.reshape([(rows * vocabSize) / width, width]), flat).argMax(-1);
  return indices.mul(tf.scalar(width, "int32")).add(within.reshape([rows, count]));
}
