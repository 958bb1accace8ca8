import { attention, type JitFunction, packedSegments, type Tensors, tf } from "@palimpsest/jit";
import { drawTokens } from "../draw/draw.js";
import { named, nextLogits } from "../weights/packed-layers.js";
import { tableEntries, tablesOf, writeTable } from "./table-cache.js";
import { tableLayers } from "./table-layers.js";
import type { TableReadShape } from "./table-read.js";
import { drawInputs, int32, oneStep, passOf, type TableSetup, tableLogits } from "./table-setup.js";

/**
 * Reads pieces of prompts, packed end to end, into slots and samples the token after each, without truncation. Only the end of
 * the call is padding.
 * Inputs: ids, segments and positions int32 [T], where token t belongs to piece segments[t] - 1 (0 for padding) and has
 * position positions[t] in its prompt; targets int32 [T, 2], the entry that each token is written to; starts, lengths, slots and
 * pasts int32 [R], where the slot stores that many tokens before the piece, and a row without a request has 0 tokens; uniforms
 * float32 [1, R]; inverseTemperature float32 [R].
 * Outputs: tokens int32, logprobs and sampledLogprobs float32 [1, R].
 */
export function tablePackedReadFunction(setup: TableSetup, { rows, length }: TableReadShape): JitFunction {
  const { config, type } = setup;
  const { heads, kvHeads, headDim } = config;
  const body = (state: Tensors, inputs: Tensors) => {
    const given = (name: string) => named(inputs, name);
    const segments = packedSegments(given("segments").reshape([1, length]), rows);
    const pass = passOf(setup, state, given("positions"));
    const { ids, lengths, starts } = segments;
    const shared = [given("targets"), given("slots"), given("pasts"), ids, lengths, starts];
    const inSequence = (y: tf.Tensor, count: number) => y.reshape([1, length, count, headDim]);
    const tables = tablesOf(state, config, type);
    const written = tableLayers(pass, given("ids"), tables, shared, (projected, before, its) => {
      const [targets, slots, pasts, ...of] = its as [tf.Tensor, tf.Tensor, tf.Tensor, ...tf.Tensor[]];
      const [ids, lengths, starts] = of as [tf.Tensor, tf.Tensor, tf.Tensor];
      const after = writeTable(before, targets, projected);
      const mixed = attention(
        inSequence(projected.queries, heads),
        inSequence(projected.keys, kvHeads),
        inSequence(projected.values, kvHeads),
        {
          causal: true,
          scale: 1,
          segments: { ids, lengths, starts },
          past: { ...after, rows: slots, lengths: pasts },
        },
      );
      return { mixed: mixed.reshape([length, heads * headDim]), table: after };
    });
    const last = given("starts")
      .add(given("lengths"))
      .sub(tf.scalar(1, "int32"))
      .maximum(tf.scalar(0, "int32"));
    const logits = nextLogits(state, tf.gather(written.x, last), config);
    const uniforms = given("uniforms").reshape([rows]);
    const drawn = drawTokens(logits, uniforms, given("inverseTemperature"));
    return {
      outputs: oneStep(drawn),
      state: { ...tableEntries(written.tables), [tableLogits(rows)]: logits },
    };
  };
  return {
    inputs: {
      ids: int32([length]),
      segments: int32([length]),
      positions: int32([length]),
      targets: int32([length, 2]),
      starts: int32([rows]),
      lengths: int32([rows]),
      slots: int32([rows]),
      pasts: int32([rows]),
      ...drawInputs(rows, 1),
    },
    body,
  };
}
