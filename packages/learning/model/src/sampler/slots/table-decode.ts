import { attention, entry, type JitFunction, scan, type Tensors, tf } from "@palimpsest/jit";
import { drawTokens } from "../draw/draw.js";
import { drawTruncatedTokens, truncationInputs, truncationOf } from "../draw/truncated-draw.js";
import { named, nextLogits } from "../weights/packed-layers.js";
import { tableEntries, tablesOf, writeTable } from "./table-cache.js";
import { type KeyValues, tableLayers } from "./table-layers.js";
import {
  drawInputs,
  int32,
  oneStep,
  passOf,
  slotInputs,
  slotsOfCall,
  type TableSetup,
  tableLogits,
  tableOf,
} from "./table-setup.js";

/** Number of a request's stop tokens that the device checks; the host checks all of them. */
export const stopTokensOnDevice = 8;
/** No token has this id. */
export const noToken = -1;

export interface TableDecodeShape {
  /** Slots that a call samples in: all of the table, or some that its inputs name. */
  readonly rows: number;
  readonly steps: number;
  readonly truncates: boolean;
}

/**
 * Samples up to `steps` tokens in every slot of the call with tokens left, until its limit or a stop token; after that, and
 * in slots without a request, nothing is written and the draws are meaningless.
 * Inputs: ids int32 [R], each row's last token; positions int32 [R], its position; left int32 [R], tokens still needed,
 * 0 for none; stops int32 [R, 8], padded with -1; uniforms float32 [steps, R]; inverseTemperature float32 [R]; truncated
 * also topK, topP and minP float32 [R]; with fewer rows than the table has slots also slots int32 [R], all different, and
 * rowOfSlot int32 [S], -1 for none.
 * Outputs: tokens int32, logprobs and sampledLogprobs float32 [steps, R]. A call of one step for all slots also stores its logits.
 */
export function tableDecodeFunction(
  setup: TableSetup,
  { rows, steps, truncates }: TableDecodeShape,
): JitFunction {
  const { config, table, type } = setup;
  const { heads, headDim } = config;
  const one = () => tf.scalar(1, "int32");
  const body = (state: Tensors, inputs: Tensors) => {
    const first = tablesOf(state, config, type);
    const spare = tf.scalar(table.length - 1, "int32");
    const { slotOf, found } = slotsOfCall(table, rows, inputs);
    let logits: tf.Tensor | undefined;
    const step = (carry: readonly tf.Tensor[], uniforms: tf.Tensor) => {
      const [ids, positions, left, ...flat] = carry as [tf.Tensor, tf.Tensor, tf.Tensor, ...tf.Tensor[]];
      const isActive = left.greater(tf.scalar(0, "int32")).toInt();
      const columns = positions.mul(isActive).add(spare.mul(one().sub(isActive)));
      const targets = tf.stack([slotOf, columns], 1);
      const seen = positions.add(one());
      const tables = first.map((_, layer) => ({
        keys: entry(flat, 2 * layer),
        values: entry(flat, 2 * layer + 1),
      }));
      const pass = passOf(setup, state, positions);
      const shared = [targets, seen, ...found];
      const written = tableLayers(pass, ids, tables, shared, (projected, before, given) => {
        const [at, keysSeen, ...its] = given as [tf.Tensor, tf.Tensor, ...tf.Tensor[]];
        const after = writeTable(before, at, projected);
        const queries = projected.queries.reshape([rows, 1, heads, headDim]);
        const options = { scale: 1, lengths: { keys: keysSeen }, ...tableOf(its) };
        const mixed = attention(queries, after.keys, after.values, options);
        return { mixed: mixed.reshape([rows, heads * headDim]), table: after };
      });
      logits = nextLogits(state, written.x, config);
      const draw = { uniforms, inverseTemperature: named(inputs, "inverseTemperature") };
      const drawn = truncates
        ? drawTruncatedTokens(logits, { ...draw, ...truncationOf(inputs) })
        : drawTokens(logits, draw.uniforms, draw.inverseTemperature);
      const goesOn = drawn.tokens.reshape([rows, 1]).notEqual(named(inputs, "stops")).all(1).toInt();
      const next = [
        drawn.tokens.mul(isActive).add(ids.mul(one().sub(isActive))),
        positions.add(isActive),
        left.sub(isActive).mul(goesOn),
        ...written.tables.flatMap(({ keys, values }) => [keys, values]),
      ];
      return { next, drawn };
    };
    const start = [
      named(inputs, "ids"),
      named(inputs, "positions"),
      named(inputs, "left"),
      ...first.flatMap(({ keys, values }) => [keys, values]),
    ];
    const uniforms = named(inputs, "uniforms");
    if (steps === 1) {
      const { next, drawn } = step(start, uniforms.reshape([rows]));
      return {
        outputs: oneStep(drawn),
        state: { ...tableEntries(pairs(next.slice(3))), [tableLogits(rows)]: logits as tf.Tensor },
      };
    }
    const { carry, ys } = scan({
      carry: start,
      xs: [uniforms],
      body: (before, [own]) => {
        const { next, drawn } = step(before, own as tf.Tensor);
        return { carry: next, ys: [drawn.tokens, drawn.logprobs, drawn.sampledLogprobs] };
      },
    });
    const [tokens, logprobs, sampledLogprobs] = ys as [tf.Tensor, tf.Tensor, tf.Tensor];
    return { outputs: { tokens, logprobs, sampledLogprobs }, state: tableEntries(pairs(carry.slice(3))) };
  };
  return {
    inputs: {
      ids: int32([rows]),
      positions: int32([rows]),
      left: int32([rows]),
      stops: int32([rows, stopTokensOnDevice]),
      ...slotInputs(table, rows),
      ...drawInputs(rows, steps),
      ...(truncates ? truncationInputs(rows) : {}),
    },
    body,
  };
}

/** Each layer's keys and values, which a loop carries one after the other. */
export function pairs(flat: readonly tf.Tensor[]): KeyValues[] {
  return Array.from({ length: flat.length / 2 }, (_, layer) => ({
    keys: entry(flat, 2 * layer),
    values: entry(flat, 2 * layer + 1),
  }));
}
