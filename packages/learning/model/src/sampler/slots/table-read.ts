import { asType, attention, type JitFunction, type Tensors, tf } from "@palimpsest/jit";
import { drawTokens } from "../draw/draw.js";
import { drawTruncatedTokens, truncationInputs, truncationOf } from "../draw/truncated-draw.js";
import { named, nextLogits } from "../weights/packed-layers.js";
import { slotsOf, tableEntries, tablesOf, writeSlots, writeTable } from "./table-cache.js";
import { tableLayers } from "./table-layers.js";
import { drawInputs, int32, oneStep, passOf, type TableSetup, tableLogits } from "./table-setup.js";

export interface TableReadShape {
  readonly rows: number;
  /** The length that each piece is padded to; for a packed call, the number of tokens of all pieces together. */
  readonly length: number;
  /** Whether the pieces follow tokens of their slots that were read before. Packed pieces may or may not. */
  readonly hasPast: boolean;
  /** Whether the pieces are packed end to end (table-packed-read.ts). */
  readonly isPacked: boolean;
}

/**
 * Reads pieces of prompts into slots and samples the token after each, without truncation.
 * Inputs: ids int32 [R, T] right-padded; lengths int32 [R]; targets int32 [R · T, 2], the entry that each token is written to;
 * uniforms float32 [1, R]; inverseTemperature float32 [R]; with a past also pasts int32 [R] ≥ 1, the number of entries before the
 * piece, and slots int32 [R], which store them. Rows without a request repeat another row.
 * Outputs: tokens int32, logprobs and sampledLogprobs float32 [1, R].
 */
export function tableReadFunction(setup: TableSetup, shape: TableReadShape): JitFunction {
  const { config, table, type } = setup;
  const { rows, length, hasPast } = shape;
  const { heads, kvHeads, headDim } = config;
  const body = (state: Tensors, inputs: Tensors) => {
    const pasts = hasPast ? named(inputs, "pasts") : tf.zeros([rows], "int32");
    const places = tf.range(0, length, 1, "int32").reshape([1, length]);
    const positions = pasts.reshape([rows, 1]).add(places); // [R, T]
    const spare = tf.scalar(table.length - 1, "int32");
    const pass = passOf(setup, state, positions.minimum(spare).reshape([rows * length]));
    const tables = tablesOf(state, config, type);
    const byRow = (y: tf.Tensor, count: number) => y.reshape([rows, length, count, headDim]);
    const shared = [named(inputs, "targets"), ...(hasPast ? [pasts, named(inputs, "slots")] : [])];
    const flat = named(inputs, "ids").reshape([rows * length]);
    const written = tableLayers(pass, flat, tables, shared, (projected, before, given) => {
      const [targets, pastsOf, slots] = given as [tf.Tensor, tf.Tensor?, tf.Tensor?];
      const after = writeTable(before, targets, projected);
      const prefix = slots && pastsOf ? { prefix: { ...slotsOf(after, slots), lengths: pastsOf } } : {};
      const [queries, keys, values] = [
        byRow(projected.queries, heads),
        byRow(projected.keys, kvHeads),
        byRow(projected.values, kvHeads),
      ];
      const mixed = attention(queries, keys, values, { causal: true, scale: 1, ...prefix });
      return { mixed: mixed.reshape([rows * length, heads * headDim]), table: after };
    });
    const last = tf
      .range(0, rows, 1, "int32")
      .mul(tf.scalar(length, "int32"))
      .add(named(inputs, "lengths"))
      .sub(tf.scalar(1, "int32"))
      .maximum(tf.scalar(0, "int32"));
    const logits = nextLogits(state, tf.gather(written.x, last), config);
    const drawn = drawTokens(
      logits,
      named(inputs, "uniforms").reshape([rows]),
      named(inputs, "inverseTemperature"),
    );
    return {
      outputs: oneStep(drawn),
      state: { ...tableEntries(written.tables), [tableLogits(rows)]: logits },
    };
  };
  return {
    inputs: {
      ids: int32([rows, length]),
      lengths: int32([rows]),
      targets: int32([rows * length, 2]),
      ...(hasPast ? { pasts: int32([rows]), slots: int32([rows]) } : {}),
      ...drawInputs(rows, 1),
    },
    body,
  };
}

/** Draws again, with truncation, from the logits of the last reading call of `rows` rows. Outputs as for reading. */
export function tableDrawFunction(rows: number): JitFunction {
  const body = (state: Tensors, inputs: Tensors) => {
    const drawn = drawTruncatedTokens(named(state, tableLogits(rows)), {
      uniforms: named(inputs, "uniforms").reshape([rows]),
      inverseTemperature: named(inputs, "inverseTemperature"),
      ...truncationOf(inputs),
    });
    return { outputs: oneStep(drawn) };
  };
  return { inputs: { ...drawInputs(rows, 1), ...truncationInputs(rows) }, body };
}

/** Zeroes one slot of all layers. Input: slots int32 [1]. */
export function tableZeroFunction({ config, table, type }: TableSetup): JitFunction {
  const { kvHeads, headDim } = config;
  const body = (state: Tensors, inputs: Tensors) => {
    const nothing = asType(tf.zeros([1, table.length, kvHeads, headDim]), type);
    const contents = { keys: nothing, values: nothing };
    const tables = tablesOf(state, config, type).map((before) =>
      writeSlots(before, named(inputs, "slots"), contents),
    );
    return { outputs: {}, state: tableEntries(tables) };
  };
  return { inputs: { slots: int32([1]) }, body };
}

/** Slots that one call of the function below copies at most. */
export const slotsPerCopy = 8;

/** Copies slots of all layers. Inputs: from and to int32 [8]; pairs without a copy repeat another. */
export function tableCopyFunction({ config, type }: TableSetup): JitFunction {
  const body = (state: Tensors, inputs: Tensors) => {
    const tables = tablesOf(state, config, type).map((before) =>
      writeSlots(before, named(inputs, "to"), slotsOf(before, named(inputs, "from"))),
    );
    return { outputs: {}, state: tableEntries(tables) };
  };
  return { inputs: { from: int32([slotsPerCopy]), to: int32([slotsPerCopy]) }, body };
}
