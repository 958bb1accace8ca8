import { type StateSpec, scatterRows, type Tensors, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../config.js";
import { type Memories, memoriesOf, stackOf } from "./layer-walk.js";
import { named } from "./packed-layers.js";

/*
 * Keys and values of the tokens that requests in flight have read and sampled, in pages.
 *
 * There are two tables [layers·pages·kvHeads, pageLength, headDim]. Row (layer·pages + page)·kvHeads + h is one head of one
 * page of one layer. A request has a list of pages, which need not be adjacent and may be shared. The last page is a spare
 * that receives the writes of rows without a request. Entries that no request has written are garbage and masked. A mask
 * adds to a score and multiplies a value by 0, which hides any finite number but not NaN: pages that may contain NaN are zeroed.
 */

export interface CacheShape {
  /** Including the spare one. */
  readonly pages: number;
  readonly pageLength: number;
}

/** @param stored bfloat16 is lossless if products round to it, since keys and values are only used in products */
export function cacheState(
  config: ModelConfig,
  cache: CacheShape,
  stored: "float32" | "bfloat16",
): Record<string, StateSpec> {
  const shape = [config.layers * cache.pages * config.kvHeads, cache.pageLength, config.headDim];
  const table = { shape, dtype: "float32", stored } as const;
  return { keys: table, values: table };
}

/**
 * Copies some pages: P·pageLength entries of each of n requests. One call reads the copy at every step, so it costs
 * little, and it lets requests share pages that need not be adjacent.
 * @param pages int32 [n, P]
 */
export function readCache(
  state: Tensors,
  pages: tf.Tensor,
  cache: CacheShape,
  config: ModelConfig,
): Memories {
  const { layers, kvHeads, headDim } = config;
  const [n = 0, count = 0] = pages.shape;
  const rows = tableRows(pages.reshape([1, n, 1, count]), cache, config).flatten();
  const shape = [layers, n * kvHeads, count * cache.pageLength, headDim];
  const copied = (name: "keys" | "values") => tf.gather(named(state, name), rows).reshape(shape);
  return memoriesOf({ keys: copied("keys"), values: copied("values") }, config);
}

/**
 * Writes `length` entries of each of `n` requests; returns the changed state entries.
 * @param targets int32 [n, length, 2]: page and offset in it
 */
export function writeCache(
  state: Tensors,
  memories: Memories,
  targets: tf.Tensor,
  cache: CacheShape,
  config: ModelConfig,
): Record<string, tf.Tensor> {
  const { layers, kvHeads, headDim } = config;
  const [n = 0, length = 0] = targets.shape;
  const [pages, places] = tf.split(targets, 2, 2) as [tf.Tensor, tf.Tensor];
  const rows = tableRows(pages.reshape([1, n, 1, length]), cache, config); // [L, n, KV, length]
  const columns = places.reshape([1, n, 1, length]).add(tf.zeros([layers, n, kvHeads, length], "int32"));
  const size = layers * n * kvHeads * length;
  const target = tf.stack([rows, columns], -1).reshape([size, 2]);
  const memory = stackOf(memories, config);
  const written = (name: "keys" | "values") =>
    scatterRows(named(state, name), target, memory[name].reshape([size, headDim]));
  return { keys: written("keys"), values: written("values") };
}

/**
 * Writes zeros to one page of all layers.
 * @param targets int32 [1, pageLength, 2]: the page and every offset in it
 */
export function zeroPage(
  state: Tensors,
  targets: tf.Tensor,
  cache: CacheShape,
  config: ModelConfig,
): Record<string, tf.Tensor> {
  const { layers, kvHeads, headDim } = config;
  const shape: [number, number, number, number] = [layers, kvHeads, cache.pageLength, headDim];
  const memories = memoriesOf({ keys: tf.zeros(shape), values: tf.zeros(shape) }, config);
  return writeCache(state, memories, targets, cache, config);
}

/** Rows of the tables, [L, n, KV, m]. @param pages int32 [1, n, 1, m] */
function tableRows(pages: tf.Tensor, cache: CacheShape, { layers, kvHeads }: ModelConfig): tf.Tensor {
  const perLayer = tf.scalar(cache.pages * kvHeads, "int32");
  const layer = tf.range(0, layers, 1, "int32").mul(perLayer).reshape([layers, 1, 1, 1]);
  const head = tf.range(0, kvHeads, 1, "int32").reshape([1, 1, kvHeads, 1]);
  return pages.mul(tf.scalar(kvHeads, "int32")).add(head).add(layer);
}
