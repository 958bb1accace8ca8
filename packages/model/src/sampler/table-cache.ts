import { asType, type FloatType, type StateSpec, scatterRows, type Tensors, tf } from "@palimpsest/jit";
import type { ModelConfig } from "../config.js";
import { named } from "./packed-layers.js";
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

/** What a reading call writes into the tables: the same entries in every layer. */
export interface ReadPlan {
  /** int32 [slots · length]: the token that an entry would come from. */
  readonly tokens: tf.Tensor;
  /** bool [slots, length, 1, 1]: whether the entry is written. */
  readonly isFresh: tf.Tensor;
  /** int32 [slots]: the slot whose entries are kept; absent: each slot's own. */
  readonly kept?: tf.Tensor;
}

/**
 * @param rows int32 [R] each: slots, entries before the piece, tokens of the piece (0: nothing is written), and the slots that
 *   store what precedes it. Rows of one slot are equal. Packed pieces have `starts`, the indices of their first tokens.
 * @param pieceLength the length that pieces are padded to; for packed pieces, the number of tokens of all together
 */
export function readPlan(
  { slots, length }: TableShape,
  rows: {
    readonly slots: tf.Tensor;
    readonly pasts: tf.Tensor;
    readonly lengths: tf.Tensor;
    readonly sources?: tf.Tensor;
    readonly starts?: tf.Tensor;
  },
  pieceLength: number,
): ReadPlan {
  const count = rows.slots.size;
  const all = tf.range(0, slots, 1, "int32");
  const isOf = all.reshape([slots, 1]).equal(rows.slots.reshape([1, count]));
  const isOwn = isOf.logicalAnd(rows.lengths.reshape([1, count]).greater(tf.scalar(0, "int32")));
  const isRead = isOwn.any(1); // [slots]
  const row = isOwn.toFloat().argMax(1).toInt();
  const ofSlot = (values: tf.Tensor) => tf.gather(values, row).reshape([slots, 1]);
  const places = tf.range(0, length, 1, "int32").reshape([1, length]).sub(ofSlot(rows.pasts));
  const isInside = places.greaterEqual(tf.scalar(0, "int32")).logicalAnd(places.less(ofSlot(rows.lengths)));
  const spare = tf.scalar(pieceLength - 1, "int32");
  const within = places.maximum(tf.scalar(0, "int32")).minimum(spare);
  const tokens =
    rows.starts === undefined
      ? within.add(row.reshape([slots, 1]).mul(tf.scalar(pieceLength, "int32")))
      : within.add(ofSlot(rows.starts)).minimum(spare);
  return {
    tokens: tokens.reshape([slots * length]),
    isFresh: isInside.logicalAnd(isRead.reshape([slots, 1])).reshape([slots, length, 1, 1]),
    ...(rows.sources === undefined ? {} : { kept: tf.where(isRead, tf.gather(rows.sources, row), all) }),
  };
}

/**
 * Writes pieces into a table in one pass over all of it. A scatter of as many entries is a hundred times slower on a GPU, because
 * all padding goes to one entry, which bfloat16 scatters update by compare-and-swap.
 * @param fresh [tokens, KV, hd]
 */
export function writePieces(
  table: KeyValues,
  { tokens, isFresh, kept }: ReadPlan,
  fresh: KeyValues,
): KeyValues {
  const write = (old: tf.Tensor, values: tf.Tensor) => {
    const before = kept === undefined ? old : tf.gather(old, kept);
    return tf.where(isFresh, tf.gather(values, tokens).reshape(old.shape), before);
  };
  return { keys: write(table.keys, fresh.keys), values: write(table.values, fresh.values) };
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
