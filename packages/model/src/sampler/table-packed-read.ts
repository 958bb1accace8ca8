import {
  attention,
  type JitFunction,
  packedSegments,
  type Segments,
  type Tensors,
  tf,
} from "@palimpsest/jit";
import { drawTokens } from "./draw.js";
import { named, nextLogits } from "./packed-layers.js";
import { readPlan, tableEntries, tablesOf, writePieces } from "./table-cache.js";
import { tableLayers } from "./table-layers.js";
import type { TableReadShape } from "./table-read.js";
import { drawInputs, int32, oneStep, passOf, type TableSetup, tableLogits } from "./table-setup.js";

/**
 * Reads whole prompts from their beginning, packed end to end, into slots and samples the token after each, without
 * truncation. Only the end of the call is padding.
 * Inputs: ids, segments and positions int32 [T], where token t belongs to piece segments[t] - 1 (0 for padding) and has
 * position positions[t] in its prompt; starts, lengths and slots int32 [R], with 0 tokens for a row that writes nothing;
 * uniforms float32 [1, R]; inverseTemperature float32 [R].
 * Outputs: tokens int32, logprobs and sampledLogprobs float32 [1, R].
 */
export function tablePackedReadFunction(setup: TableSetup, { rows, length }: TableReadShape): JitFunction {
  const { config, table, type } = setup;
  const { heads, kvHeads, headDim } = config;
  const body = (state: Tensors, inputs: Tensors) => {
    const given = (name: string) => named(inputs, name);
    const segments = packedSegments(given("segments").reshape([1, length]), rows);
    const own = {
      slots: given("slots"),
      pasts: tf.zeros([rows], "int32"),
      lengths: given("lengths"),
      starts: given("starts"),
    };
    const plan = readPlan(table, own, length);
    const pass = passOf(setup, state, given("positions"));
    const shared = [plan.tokens, plan.isFresh, segments.ids, segments.lengths, segments.starts];
    const inSequence = (y: tf.Tensor, count: number) => y.reshape([1, length, count, headDim]);
    const tables = tablesOf(state, config, type);
    const written = tableLayers(pass, given("ids"), tables, shared, (projected, before, its) => {
      const [tokens, isFresh, ids, lengths, starts] = its as [
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
      ];
      const ofPieces: Segments = { ids, lengths, starts };
      const mixed = attention(
        inSequence(projected.queries, heads),
        inSequence(projected.keys, kvHeads),
        inSequence(projected.values, kvHeads),
        { causal: true, scale: 1, segments: ofPieces },
      );
      return {
        mixed: mixed.reshape([length, heads * headDim]),
        table: writePieces(before, { tokens, isFresh }, projected),
      };
    });
    const last = own.starts.add(own.lengths).sub(tf.scalar(1, "int32")).maximum(tf.scalar(0, "int32"));
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
      starts: int32([rows]),
      lengths: int32([rows]),
      slots: int32([rows]),
      ...drawInputs(rows, 1),
    },
    body,
  };
}

/** Lays out the pieces of a call of `rows` pieces and `length` tokens at most. */
export function packedPieces(
  pieces: readonly (readonly number[])[],
  rows: number,
  length: number,
): Record<"ids" | "segments" | "positions" | "starts" | "lengths", Int32Array> {
  const ofTokens = () => new Int32Array(length);
  const [ids, segments, positions] = [ofTokens(), ofTokens(), ofTokens()];
  const [starts, lengths] = [new Int32Array(rows), new Int32Array(rows)];
  let at = 0;
  pieces.forEach((piece, row) => {
    ids.set(piece, at);
    segments.fill(row + 1, at, at + piece.length);
    starts[row] = at;
    lengths[row] = piece.length;
    for (let place = 0; place < piece.length; place++) positions[at + place] = place;
    at += piece.length;
  });
  return { ids, segments, positions, starts, lengths };
}
