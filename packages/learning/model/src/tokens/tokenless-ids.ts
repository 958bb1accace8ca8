import { tf } from "@palimpsest/jit";
import type { ModelConfig, TokenlessRange } from "../base/config.js";

/**
 * The logit of an id without a token: its probability is 0 at any temperature, and, unlike an infinity, its product with that
 * probability is 0 and not NaN.
 */
export const tokenlessLogit = -1e30;

/** What says which ids have no token; absent: each has one. */
interface Tokenless {
  readonly tokenlessIds?: readonly TokenlessRange[] | undefined;
}

/**
 * Returns the config with the ids for which the tokenizer has no token. Most public models have some: their embedding has more
 * rows than there are tokens, because products of round sizes take less time.
 * @param hasToken whether the tokenizer has a token with this id
 */
export function withTokenlessIds(config: ModelConfig, hasToken: (id: number) => boolean): ModelConfig {
  const ranges: { first: number; count: number }[] = [];
  for (let id = 0; id < config.vocabSize; id++) {
    if (hasToken(id)) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last.first + last.count === id) last.count += 1;
    else ranges.push({ first: id, count: 1 });
  }
  return ranges.length === 0 ? config : { ...config, tokenlessIds: ranges };
}

/** Lowers the logits of ids without a token, in place of a sampler's row on the host. @param logits float32 [V] */
export function maskTokenless(logits: Float32Array, ranges: readonly TokenlessRange[] = []): void {
  for (const { first, count } of ranges) logits.fill(tokenlessLogit, first, first + count);
}

/**
 * Lowers the logits of ids without a token, so that they are never sampled and no softmax counts them; those of other ids keep
 * every bit. Sampler and learner do it alike. Without such ids nothing is computed.
 * @param logits float32 [N, V]
 */
export function withoutTokenless(logits: tf.Tensor, { tokenlessIds }: Tokenless): tf.Tensor {
  return tokenlessIds === undefined ? logits : logits.add(tokenlessBias(logits.shape[1] ?? 0, tokenlessIds));
}

/** 0 for ids with a token and `tokenlessLogit` for the others. @returns float32 [V] */
export function tokenlessBias(vocabSize: number, ranges: readonly TokenlessRange[]): tf.Tensor {
  // Pieces of one value each stay small in a graph, whatever the size of the vocabulary.
  const pieces: tf.Tensor[] = [];
  let end = 0;
  for (const { first, count } of ranges) {
    if (first > end) pieces.push(tf.zeros([first - end]));
    pieces.push(tf.fill([count], tokenlessLogit));
    end = first + count;
  }
  if (end < vocabSize) pieces.push(tf.zeros([vocabSize - end]));
  return tf.concat(pieces, 0);
}

/** Returns a test for ids without a token. */
export function isTokenless({ tokenlessIds = [] }: Tokenless): (id: number) => boolean {
  return (id) => tokenlessIds.some(({ first, count }) => id >= first && id < first + count);
}
