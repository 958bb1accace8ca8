import { type StateSpec, scatterRows, type Tensors, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import { named, part } from "../weights/packed-layers.js";
import { runsAsLoop } from "../weights/packed-weights.js";
import { type Memories, type Memory, memoriesOf, stackOf } from "./layer-walk.js";

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
  const rows = tableRows(pages.reshape([1, n, 1, count]), cache, config); // [L, n, KV, P]
  const shape = [n * kvHeads, count * cache.pageLength, headDim];
  const copied = (name: "keys" | "values", of: tf.Tensor, to: number[]) =>
    tf.gather(named(state, name), of.flatten()).reshape(to);
  const memory = (of: tf.Tensor, to: number[]) => ({
    keys: copied("keys", of, to),
    values: copied("values", of, to),
  });
  if (runsAsLoop(config)) return [memory(rows, [layers, ...shape])];
  // Each layer has memory of its own, so that its new entries can be written into it.
  return Array.from({ length: layers }, (_, layer) => memory(part(rows, 0, layer, 1), shape));
}

/**
 * Writes the entries that some steps computed in each layer, into tables that may have been written to before.
 * @param tables  the state entries, by name
 * @param entries for each layer and step, [n·KV, hd]
 * @param targets int32 [n, steps, 2]: page and offset in it
 */
export function writeSteps(
  tables: Tensors,
  entries: readonly (readonly Memory[])[],
  targets: tf.Tensor,
  cache: CacheShape,
  config: ModelConfig,
): { readonly keys: tf.Tensor; readonly values: tf.Tensor } {
  const { layers, kvHeads } = config;
  const [n = 0, steps = 0] = targets.shape;
  const [pages, places] = tf.split(targets.transpose([1, 0, 2]), 2, 2) as [tf.Tensor, tf.Tensor]; // [steps, n, 1]
  const shape = [layers, steps, n, kvHeads];
  const rows = tableRows(pages.reshape([1, steps * n, 1, 1]), cache, config).reshape(shape);
  const columns = places.reshape([1, steps, n, 1]).add(tf.zeros(shape, "int32"));
  const target = tf.stack([rows, columns], -1).reshape([layers * steps * n * kvHeads, 2]);
  const written = (name: "keys" | "values") =>
    scatterRows(
      named(tables, name),
      target,
      tf.concat(
        entries.flat().map((entry) => entry[name]),
        0,
      ),
    );
  return { keys: written("keys"), values: written("values") };
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
