import { attention, entry, type JitFunction, scan, type Tensors, tf } from "@palimpsest/jit";
import { drawTokens } from "../draw/draw.js";
import { drawTruncatedTokens, truncationInputs, truncationOf } from "../draw/truncated-draw.js";
import { named, nextLogits } from "../weights/packed-layers.js";
import { lookUp } from "./look-up.js";
import { tableEntries, tablesOf, writeTable } from "./table-cache.js";
import { pairs, stopTokensOnDevice } from "./table-decode.js";
import { tableLayers } from "./table-layers.js";
import {
  drawInputs,
  int32,
  passOf,
  slotInputs,
  slotsOfCall,
  type TableSetup,
  tableOf,
} from "./table-setup.js";

export interface TableGuessShape {
  /** Slots that a call samples in, as for decoding. */
  readonly rows: number;
  readonly steps: number;
  /** Tokens that are guessed for each slot and step. */
  readonly guesses: number;
  readonly truncates: boolean;
}

/**
 * Samples as `tableDecodeFunction` does, with `guesses` tokens of each slot looked up in its history and checked in every step: a
 * step samples one token after the last one and one after each guess, and keeps those up to the first wrong guess. Each is drawn with the
 * number of its own place in the reply. Entries of wrong guesses lie after the valid part of the slot, and the next step
 * overwrites them.
 * Inputs, with T = 1 + guesses: history int32 [R, L], each row's tokens, the last of which is not in the table; positions int32 [R], its
 * position; left int32 [R], stops int32 [R, 8], slots and rowOfSlot as for decoding; uniforms float32 [steps · T, R], in the order of
 * tokens; inverseTemperature float32 [R]; truncated also topK, topP and minP float32 [R].
 * Outputs: tokens int32, logprobs and sampledLogprobs float32 [steps, R · T]; counts int32 [steps, R], how many of a row's tokens count;
 * guessed int32 [steps, R].
 */
export function tableGuessFunction(setup: TableSetup, shape: TableGuessShape): JitFunction {
  const { config, table, type } = setup;
  const { rows, steps, guesses, truncates } = shape;
  const { heads, kvHeads, headDim } = config;
  const width = 1 + guesses;
  const size = rows * width;
  const int = (x: number) => tf.scalar(x, "int32");
  const body = (state: Tensors, inputs: Tensors) => {
    const first = tablesOf(state, config, type);
    const spare = int(table.length - 1);
    const { slotOf, found } = slotsOfCall(table, rows, inputs);
    const rowOf = tf.range(0, rows, 1, "int32").reshape([rows, 1]);
    const further = tf.range(0, width, 1, "int32").reshape([1, width]);
    const places = tf.range(0, table.length, 1, "int32").reshape([1, table.length]);
    const perToken = (x: tf.Tensor) => tf.tile(x.reshape([rows, 1]), [1, width]).reshape([size]);
    const truncation = () => {
      const { topK, topP, minP } = truncationOf(inputs);
      return { topK: perToken(topK), topP: perToken(topP), minP: perToken(minP) };
    };
    const uniforms = named(inputs, "uniforms").reshape([steps * size]);
    const inverseTemperature = perToken(named(inputs, "inverseTemperature"));
    const stops = named(inputs, "stops").reshape([rows, 1, stopTokensOnDevice]);
    const step = (carry: readonly tf.Tensor[]) => {
      const [history, positions, left, sampled, ...flat] = carry as [
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        ...tf.Tensor[],
      ];
      const column = (x: tf.Tensor) => x.reshape([rows, 1]);
      const known = positions.add(int(1));
      const last = tf.gather(
        history.reshape([rows * table.length]),
        rowOf.mul(int(table.length)).add(column(positions)),
      );
      const guessed = lookUp(history, known, guesses);
      const ids = tf.concat([last, guessed], 1); // [S, T]
      const isActive = column(left).greater(int(0)).toInt();
      const behind = column(positions).add(further).minimum(spare);
      const columns = behind.mul(isActive).add(spare.mul(int(1).sub(isActive)));
      const targets = tf.stack([perToken(slotOf).reshape([rows, width]), columns], 2).reshape([size, 2]);
      const tables = first.map((_, layer) => ({
        keys: entry(flat, 2 * layer),
        values: entry(flat, 2 * layer + 1),
      }));
      const pass = passOf(setup, state, behind.reshape([size]));
      const inSequence = (x: tf.Tensor, count: number) => x.reshape([rows, width, count, headDim]);
      const shared = [targets, positions.maximum(int(1)), ...found];
      const given = ids.maximum(int(0)).reshape([size]);
      const written = tableLayers(pass, given, tables, shared, (own, before, its) => {
        const [at, lengths, ...where] = its as [tf.Tensor, tf.Tensor, ...tf.Tensor[]];
        const after = writeTable(before, at, own);
        const mixed = attention(
          inSequence(own.queries, heads),
          inSequence(own.keys, kvHeads),
          inSequence(own.values, kvHeads),
          { causal: true, scale: 1, prefix: { ...after, lengths, ...tableOf(where) } },
        );
        return { mixed: mixed.reshape([size, heads * headDim]), table: after };
      });
      const logits = nextLogits(state, written.x, config);
      const numbers = column(sampled).add(further).mul(int(rows)).add(rowOf).reshape([size]);
      const draw = { uniforms: tf.gather(uniforms, numbers), inverseTemperature };
      const drawn = truncates
        ? drawTruncatedTokens(logits, { ...draw, ...truncation() })
        : drawTokens(logits, draw.uniforms, draw.inverseTemperature);
      const tokens = drawn.tokens.reshape([rows, width]);
      const goesOn = tokens.reshape([rows, width, 1]).notEqual(stops).all(2).toInt();
      const at = (x: tf.Tensor, place: number) => x.slice([0, place], [rows, 1]);
      const isLast = (place: number) => column(left).lessEqual(int(place)).toInt();
      // A token counts if those before it were guessed right and none of them ends the reply.
      const counted = [isActive];
      for (let place = 1; place < width; place++)
        counted.push(
          entry(counted, place - 1)
            .mul(
              at(tokens, place - 1)
                .equal(at(ids, place))
                .toInt(),
            )
            .mul(at(goesOn, place - 1))
            .mul(int(1).sub(isLast(place))),
        );
      const count = counted.reduce((sum, each) => sum.add(each)).reshape([rows]);
      const ends = counted
        .map((each, place) => each.mul(int(1).sub(at(goesOn, place))))
        .reduce((sum, each) => sum.add(each))
        .reshape([rows]);
      const longer = counted.reduce<tf.Tensor>((before, each, place) => {
        const isHere = places.equal(column(known).add(int(place)).mul(each).sub(int(1).sub(each)));
        return tf.where(isHere, tf.tile(at(tokens, place), [1, table.length]), before);
      }, history);
      const isGuessed = guessed
        .greaterEqual(int(0))
        .toInt()
        .sum(1)
        .mul(isActive.reshape([rows]));
      const next = [
        longer,
        positions.add(count),
        left.sub(count).mul(int(1).sub(ends)),
        sampled.add(count),
        ...written.tables.flatMap(({ keys, values }) => [keys, values]),
      ];
      return { next, drawn, count, isGuessed };
    };
    const start: readonly tf.Tensor[] = [
      named(inputs, "history"),
      named(inputs, "positions"),
      named(inputs, "left"),
      tf.zeros([rows], "int32"),
      ...first.flatMap(({ keys, values }) => [keys, values]),
    ];
    const { carry, ys } = scan({
      carry: start,
      xs: [tf.range(0, steps, 1, "int32")],
      body: (before) => {
        const { next, drawn, count, isGuessed } = step(before);
        return {
          carry: next,
          ys: [drawn.tokens, drawn.logprobs, drawn.sampledLogprobs, count, isGuessed],
        };
      },
    });
    const [tokens, logprobs, sampledLogprobs, counts, guessed] = ys as [
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
    ];
    return {
      outputs: { tokens, logprobs, sampledLogprobs, counts, guessed },
      state: tableEntries(pairs(carry.slice(4))),
    };
  };
  return {
    inputs: {
      history: int32([rows, table.length]),
      positions: int32([rows]),
      left: int32([rows]),
      stops: int32([rows, stopTokensOnDevice]),
      ...slotInputs(table, rows),
      ...drawInputs(rows, steps * width),
      ...(truncates ? truncationInputs(rows) : {}),
    },
    body,
  };
}
