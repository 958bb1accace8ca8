import { asType, type FloatType, type StateSpec, scatterRows, type Tensors } from "@palimpsest/jit";
import * as tf from "@tensorflow/tfjs";
import type { ModelConfig } from "../config.js";
import { named } from "./packed-layers.js";
import type { KeyValues } from "./table-layers.js";

/*
 * Keys and values in a table of slots: for each layer two entries [slots, length, kvHeads, headDim]. A request has one
 * slot and writes its tokens in order. The last column of a slot takes what is written for no token, and is never
 * looked at. Attention looks at the first entries of a slot alone; but a product with a masked entry that is no number
 * is no number either, so a slot that may hold one is zeroed.
 */

export interface TableShape {
  readonly slots: number;
  /** Entries a slot, with the spare one at its end. */
  readonly length: number;
}

const lengthTile = 64;

/** A table for requests of `maxLength` tokens. */
export function tableShape(slots: number, maxLength: number): TableShape {
  return { slots, length: lengthTile * Math.ceil((maxLength + 1) / lengthTile) };
}

export function tableState(
  { layers, kvHeads, headDim }: ModelConfig,
  { slots, length }: TableShape,
  stored: FloatType,
): Record<string, StateSpec> {
  const entry = { shape: [slots, length, kvHeads, headDim], dtype: "float32" as const, stored };
  const names = Array.from({ length: layers }, (_, layer) => [`keys.${layer}`, `values.${layer}`]).flat();
  return Object.fromEntries(names.map((name) => [name, entry]));
}

/** Each layer's table. */
export function tablesOf(state: Tensors, { layers }: ModelConfig, type: FloatType): KeyValues[] {
  return Array.from({ length: layers }, (_, layer) => ({
    keys: asType(named(state, `keys.${layer}`), type),
    values: asType(named(state, `values.${layer}`), type),
  }));
}

/** The state entries of the tables. */
export function tableEntries(tables: readonly KeyValues[]): Record<string, tf.Tensor> {
  return Object.fromEntries(
    tables.flatMap(({ keys, values }, layer) => [
      [`keys.${layer}`, keys],
      [`values.${layer}`, values],
    ]),
  );
}

/**
 * Writes one entry for each of N tokens.
 * @param targets int32 [N, 2]: slot and column
 * @param fresh   [N, KV, hd]
 */
export function writeTable(table: KeyValues, targets: tf.Tensor, fresh: KeyValues): KeyValues {
  return {
    keys: scatterRows(table.keys, targets, fresh.keys),
    values: scatterRows(table.values, targets, fresh.values),
  };
}

/** Whole slots, copied. @param slots int32 [R]. @returns [R, length, KV, hd] */
export function slotsOf(table: KeyValues, slots: tf.Tensor): KeyValues {
  return { keys: tf.gather(table.keys, slots), values: tf.gather(table.values, slots) };
}

/** Replaces whole slots. @param slots int32 [R]; two that are equal get equal contents */
export function writeSlots(table: KeyValues, slots: tf.Tensor, contents: KeyValues): KeyValues {
  const indices = slots.reshape([slots.size, 1]);
  return {
    keys: tf.tensorScatterUpdate(table.keys, indices, contents.keys),
    values: tf.tensorScatterUpdate(table.values, indices, contents.values),
  };
}
