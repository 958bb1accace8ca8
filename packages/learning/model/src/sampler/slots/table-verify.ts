import { attention, type JitFunction, type Tensors, tf } from "@palimpsest/jit";
import { drawTokens } from "../draw/draw.js";
import { named, nextLogits } from "../weights/packed-layers.js";
import { slotsOf, tableEntries, tablesOf, writeTable } from "./table-cache.js";
import { tableLayers } from "./table-layers.js";
import { drawInputs, int32, oneStep, passOf, type TableSetup, tableLogits } from "./table-setup.js";

/**
 * Samples one token after a request's last token and after each guess of what follows it, without truncation. The first is
 * always valid, and each further one if all guesses before it were sampled. The entries of a wrong guess lie after the valid
 * part of the slot, and the next call overwrites them.
 *
 * Inputs: ids int32 [T], right-padded; count int32 [1], how many of them are valid; slots int32 [1]; pasts int32 [1] ≥ 1, the
 * number of entries of the slot before them; uniforms float32 [1, T]; inverseTemperature float32 [T].
 * Outputs: tokens int32, logprobs and sampledLogprobs float32 [1, T].
 */
export function tableVerifyFunction(setup: TableSetup, length: number): JitFunction {
  const { config, table, type } = setup;
  const { heads, kvHeads, headDim } = config;
  const body = (state: Tensors, inputs: Tensors) => {
    const slot = named(inputs, "slots");
    const past = named(inputs, "pasts");
    const steps = tf.range(0, length, 1, "int32");
    const spare = tf.scalar(table.length - 1, "int32");
    const isGiven = steps.less(named(inputs, "count"));
    const positions = tf.where(isGiven, steps.add(past), tf.fill([length], table.length - 1, "int32"));
    const targets = tf.stack([tf.tile(slot, [length]), positions.minimum(spare)], 1);
    const pass = passOf(setup, state, positions.minimum(spare));
    const tables = tablesOf(state, config, type);
    const inSequence = (x: tf.Tensor, count: number) => x.reshape([1, length, count, headDim]);
    const written = tableLayers(
      pass,
      named(inputs, "ids"),
      tables,
      [targets, slot, past],
      (own, before, given) => {
        const [at, slots, lengths] = given as [tf.Tensor, tf.Tensor, tf.Tensor];
        const after = writeTable(before, at, own);
        const mixed = attention(
          inSequence(own.queries, heads),
          inSequence(own.keys, kvHeads),
          inSequence(own.values, kvHeads),
          { causal: true, scale: 1, prefix: { ...slotsOf(after, slots), lengths } },
        );
        return { mixed: mixed.reshape([length, heads * headDim]), table: after };
      },
    );
    const logits = nextLogits(state, written.x, config);
    const uniforms = named(inputs, "uniforms").reshape([length]);
    const drawn = drawTokens(logits, uniforms, named(inputs, "inverseTemperature"));
    return {
      outputs: oneStep(drawn),
      state: { ...tableEntries(written.tables), [tableLogits(length)]: logits },
    };
  };
  return {
    inputs: {
      ids: int32([length]),
      count: int32([1]),
      slots: int32([1]),
      pasts: int32([1]),
      ...drawInputs(length, 1),
    },
    body,
  };
}
