import { scatterRows, type TensorSpec, type Tensors } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import type { ModelConfig } from "../config.js";
import { named } from "./packed-layers.js";

/*
 * Keys and values of the tokens that requests in flight have read and sampled.
 *
 * Of each layer two tables [(slots + 1)·kvHeads, cacheLength, headDim]. Row slot·kvHeads + h is one head of
 * one slot, so that attention is one batched product without a transpose. The last slot takes what rows
 * without a request write. Entries at and beyond a slot's length are garbage and never looked at.
 */

export interface CacheShape {
  readonly slots: number;
  readonly cacheLength: number;
}

/** Keys and values of each layer. */
export interface LayerMemory {
  readonly keys: tf.Tensor;
  readonly values: tf.Tensor;
}

export function cacheState(config: ModelConfig, cache: CacheShape): Record<string, TensorSpec> {
  const shape = [(cache.slots + 1) * config.kvHeads, cache.cacheLength, config.headDim];
  const layers = Array.from({ length: config.layers }, (_, layer) => layer);
  return Object.fromEntries(
    layers
      .flatMap((layer) => [keysName(layer), valuesName(layer)])
      .map((name) => [name, { shape, dtype: "float32" }]),
  );
}

/**
 * A copy of some slots: keys and values [n·KV, cacheLength, hd] of each layer. One call reads it at every
 * step, so the copy costs little, and a call's rows need not be neighbours in the cache.
 * @param slots int32 [n]
 */
export function readCache(state: Tensors, slots: tf.Tensor, config: ModelConfig): LayerMemory[] {
  const [n] = slots.shape as [number];
  const heads = tf.range(0, config.kvHeads, 1, "int32").reshape([1, config.kvHeads]);
  const rows = slots
    .mul(tf.scalar(config.kvHeads, "int32"))
    .reshape([n, 1])
    .add(heads)
    .reshape([n * config.kvHeads]);
  return Array.from({ length: config.layers }, (_, layer) => ({
    keys: tf.gather(named(state, keysName(layer)), rows),
    values: tf.gather(named(state, valuesName(layer)), rows),
  }));
}

/**
 * Writes `length` entries of each of `n` slots; returns the state entries that changed.
 * @param slots     int32 [n]
 * @param positions int32 [n] or [], of each slot's first entry
 * @param memory    keys and values [n·KV, length, hd] of each layer
 */
export function writeCache(
  state: Tensors,
  memory: readonly LayerMemory[],
  slots: tf.Tensor,
  positions: tf.Tensor,
): Record<string, tf.Tensor> {
  const [n] = slots.shape as [number];
  const [rows, length, headDim] = (memory[0] as LayerMemory).keys.shape as [number, number, number];
  const kvHeads = rows / n;
  const target = entries(slots, positions, n, kvHeads, length);
  const changed: Record<string, tf.Tensor> = {};
  memory.forEach(({ keys, values }, layer) => {
    for (const [name, written] of [[keysName(layer), keys] as const, [valuesName(layer), values] as const]) {
      changed[name] = scatterRows(named(state, name), target, written.reshape([rows * length, headDim]));
    }
  });
  return changed;
}

/** @returns int32 [n·kvHeads·length, 2]: table row, position */
function entries(
  slots: tf.Tensor,
  positions: tf.Tensor,
  n: number,
  kvHeads: number,
  length: number,
): tf.Tensor {
  const zeros = tf.zeros([n, kvHeads, length], "int32");
  const heads = tf.range(0, kvHeads, 1, "int32").reshape([1, kvHeads, 1]);
  const rows = slots.mul(tf.scalar(kvHeads, "int32")).reshape([n, 1, 1]).add(heads).add(zeros);
  const steps = tf.range(0, length, 1, "int32").reshape([1, 1, length]);
  const columns = positions.reshape([positions.size, 1, 1]).add(steps).add(zeros);
  return tf.stack([rows, columns], -1).reshape([n * kvHeads * length, 2]);
}

function keysName(layer: number): string {
  return `keys.${layer}`;
}

function valuesName(layer: number): string {
  return `values.${layer}`;
}
