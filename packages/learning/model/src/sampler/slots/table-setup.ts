import {
  type FloatType,
  type StateSpec,
  type TableRows,
  type TensorSpec,
  type Tensors,
  tf,
} from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import type { Drawn } from "../draw/draw.js";
import { named } from "../weights/packed-layers.js";
import { halfWriting, isMatrix, packedShapes } from "../weights/packed-weights.js";
import { type TableShape, tableState } from "./table-cache.js";
import type { TablePass } from "./table-layers.js";

/** What all functions over one table have in common. */
export interface TableSetup {
  readonly config: ModelConfig;
  readonly table: TableShape;
  /** The type in which matrices and cache are stored and products are computed. */
  readonly type: FloatType;
}

/**
 * State: weights, rotary tables, the tables of keys and values, and the last logits of each number of rows that reads.
 * @param asHalf how weights that are given in bfloat16 are written
 */
export function tableModelState(
  { config, table, type }: TableSetup,
  readRows: readonly number[],
  asHalf: "written" | "staged",
): Record<string, StateSpec> {
  const weights = Object.entries(packedShapes(config, "table")).map(
    ([name, shape]) =>
      [
        name,
        {
          ...float32(shape),
          ...(isMatrix(name) ? { stored: type } : {}),
          ...halfWriting(name, shape, config, asHalf),
        },
      ] as const,
  );
  const logits = [...new Set([...readRows, table.slots])].map(
    (rows) => [tableLogits(rows), float32([rows, config.vocabSize])] as const,
  );
  return {
    ...Object.fromEntries(weights),
    ropeCos: float32([table.length, config.headDim]),
    ropeSin: float32([table.length, config.headDim]),
    ...tableState(config, table, type),
    ...Object.fromEntries(logits),
  };
}

/** Name of the state entry with logits float32 [rows, V] of the last reading call with that many rows, or of the last single step. */
export function tableLogits(rows: number): string {
  return `logits.${rows}`;
}

/** @param positions int32 [N], below the table's length */
export function passOf({ config, type }: TableSetup, state: Tensors, positions: tf.Tensor): TablePass {
  const turn = (name: string) =>
    tf.gather(named(state, name), positions).reshape([positions.size, 1, config.headDim]);
  return { state, config, type, cos: turn("ropeCos"), sin: turn("ropeSin") };
}

/** Input of a call that samples in some slots: for each of its rows a slot of its own. A call for all slots has row i in slot i. */
export function slotInputs({ slots }: TableShape, rows: number): Record<string, TensorSpec> {
  return rows === slots ? {} : { slots: int32([rows]), rowOfSlot: int32([slots]) };
}

/** The slots of a call's rows, and what attention needs to find them in the table. */
export function slotsOfCall(
  { slots }: TableShape,
  rows: number,
  inputs: Tensors,
): { readonly slotOf: tf.Tensor; readonly found: readonly tf.Tensor[] } {
  if (rows === slots) return { slotOf: tf.range(0, slots, 1, "int32"), found: [] };
  const slotOf = named(inputs, "slots");
  return { slotOf, found: [slotOf, named(inputs, "rowOfSlot")] };
}

/** What `slotsOfCall` found, within a layer. */
export function tableOf([rows, sequences]: readonly tf.Tensor[]): { readonly table?: TableRows } {
  return rows === undefined || sequences === undefined ? {} : { table: { rows, sequences } };
}

export function oneStep({ tokens, logprobs, sampledLogprobs }: Drawn): Record<string, tf.Tensor> {
  const row = (x: tf.Tensor) => x.reshape([1, x.size]);
  return { tokens: row(tokens), logprobs: row(logprobs), sampledLogprobs: row(sampledLogprobs) };
}

export function drawInputs(rows: number, steps: number): Record<string, TensorSpec> {
  return { uniforms: float32([steps, rows]), inverseTemperature: float32([rows]) };
}

export function int32(shape: readonly number[]): TensorSpec {
  return { shape, dtype: "int32" };
}

function float32(shape: readonly number[]): TensorSpec {
  return { shape, dtype: "float32" };
}
