import { asType, type FloatType, type StateSpec, scatterRows, type Tensors, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import { named } from "../weights/packed-layers.js";
import type { KeyValues } from "./table-layers.js";

/*
 * Keys and values in a table of slots: for each layer two entries [slots, length, kvHeads, headDim]. A request has one
 * slot and writes its tokens in order. The last column of a slot is a spare that receives the writes of no token, and is
 * never attended to. Attention reads only the first entries of a slot; but a product with a masked NaN is still NaN, so a
 * slot that may contain NaN is zeroed.
 */

export interface TableShape {
  readonly slots: number;
  /** Entries per slot, including the spare one at its end. */
  readonly length: number;
}

const lengthTile = 64;

/** Returns the shape of a table for requests of `maxLength` tokens. */
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
 * Writes one entry for each of N tokens, in place. Attention reads the result and not the table as it was, so that no copy of
 * it is needed: what a piece writes lies behind its past.
 * @param targets int32 [N, 2]: slot and column
 * @param fresh   [N, KV, hd]
 */
export function writeTable(table: KeyValues, targets: tf.Tensor, fresh: KeyValues): KeyValues {
  return {
    keys: scatterRows(table.keys, targets, fresh.keys),
    values: scatterRows(table.values, targets, fresh.values),
  };
}

/** Copies whole slots. @param slots int32 [R]. @returns [R, length, KV, hd] */
export function slotsOf(table: KeyValues, slots: tf.Tensor): KeyValues {
  return { keys: tf.gather(table.keys, slots), values: tf.gather(table.values, slots) };
}

/** Replaces whole slots. @param slots int32 [R]; duplicates must have equal contents */
export function writeSlots(table: KeyValues, slots: tf.Tensor, contents: KeyValues): KeyValues {
  const indices = slots.reshape([slots.size, 1]);
  return {
    keys: tf.tensorScatterUpdate(table.keys, indices, contents.keys),
    values: tf.tensorScatterUpdate(table.values, indices, contents.values),
  };
}
