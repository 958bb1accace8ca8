import { attention, entry, type JitFunction, scan, type Tensors, tf } from "@palimpsest/jit";
import { drawTokens } from "../draw/draw.js";
import { drawTruncatedTokens, truncationInputs, truncationOf } from "../draw/truncated-draw.js";
import { named, nextLogits } from "../weights/packed-layers.js";
import { lookUp } from "./look-up.js";
import { tableEntries, tablesOf, writeTable } from "./table-cache.js";
import { pairs, stopTokensOnDevice } from "./table-decode.js";
import { tableLayers } from "./table-layers.js";
import { drawInputs, int32, passOf, type TableSetup } from "./table-setup.js";

export interface TableGuessShape {
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
 * Inputs, with T = 1 + guesses: history int32 [S, L], each slot's tokens, the last of which is not in the table; positions int32 [S], its
 * position; left int32 [S] and stops int32 [S, 8] as for decoding; uniforms float32 [steps · T, S], in the order of tokens;
 * inverseTemperature float32 [S]; truncated also topK, topP and minP float32 [S].
 * Outputs: tokens int32, logprobs and sampledLogprobs float32 [steps, S · T]; counts int32 [steps, S], how many of a slot's tokens count;
 * guessed int32 [steps, S].
 */
export function tableGuessFunction(setup: TableSetup, shape: TableGuessShape): JitFunction {
  const { config, table, type } = setup;
  const { steps, guesses, truncates } = shape;
  const { slots } = table;
  const { heads, kvHeads, headDim } = config;
  const width = 1 + guesses;
  const size = slots * width;
  const int = (x: number) => tf.scalar(x, "int32");
  const body = (state: Tensors, inputs: Tensors) => {
    const first = tablesOf(state, config, type);
    const spare = int(table.length - 1);
    const slotOf = tf.range(0, slots, 1, "int32").reshape([slots, 1]);
    const further = tf.range(0, width, 1, "int32").reshape([1, width]);
    const places = tf.range(0, table.length, 1, "int32").reshape([1, table.length]);
    const perToken = (x: tf.Tensor) => tf.tile(x.reshape([slots, 1]), [1, width]).reshape([size]);
    const truncation = () => {
      const { topK, topP, minP } = truncationOf(inputs);
      return { topK: perToken(topK), topP: perToken(topP), minP: perToken(minP) };
    };
    const uniforms = named(inputs, "uniforms").reshape([steps * size]);
    const inverseTemperature = perToken(named(inputs, "inverseTemperature"));
    const stops = named(inputs, "stops").reshape([slots, 1, stopTokensOnDevice]);
    const step = (carry: readonly tf.Tensor[]) => {
      const [history, positions, left, sampled, ...flat] = carry as [
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        ...tf.Tensor[],
      ];
      const column = (x: tf.Tensor) => x.reshape([slots, 1]);
      const known = positions.add(int(1));
      const last = tf.gather(
        history.reshape([slots * table.length]),
        slotOf.mul(int(table.length)).add(column(positions)),
      );
      const guessed = lookUp(history, known, guesses);
      const ids = tf.concat([last, guessed], 1); // [S, T]
      const isActive = column(left).greater(int(0)).toInt();
      const behind = column(positions).add(further).minimum(spare);
      const columns = behind.mul(isActive).add(spare.mul(int(1).sub(isActive)));
      const targets = tf.stack([tf.tile(slotOf, [1, width]), columns], 2).reshape([size, 2]);
      const tables = first.map((_, layer) => ({
        keys: entry(flat, 2 * layer),
        values: entry(flat, 2 * layer + 1),
      }));
      const pass = passOf(setup, state, behind.reshape([size]));
      const inSequence = (x: tf.Tensor, count: number) => x.reshape([slots, width, count, headDim]);
      const shared = [targets, positions.maximum(int(1))];
      const given = ids.maximum(int(0)).reshape([size]);
      const written = tableLayers(pass, given, tables, shared, (own, before, its) => {
        const [at, lengths] = its as [tf.Tensor, tf.Tensor];
        const after = writeTable(before, at, own);
        const mixed = attention(
          inSequence(own.queries, heads),
          inSequence(own.keys, kvHeads),
          inSequence(own.values, kvHeads),
          { causal: true, scale: 1, prefix: { ...after, lengths } },
        );
        return { mixed: mixed.reshape([size, heads * headDim]), table: after };
      });
      const logits = nextLogits(state, written.x, config);
      const numbers = column(sampled).add(further).mul(int(slots)).add(slotOf).reshape([size]);
      const draw = { uniforms: tf.gather(uniforms, numbers), inverseTemperature };
      const drawn = truncates
        ? drawTruncatedTokens(logits, { ...draw, ...truncation() })
        : drawTokens(logits, draw.uniforms, draw.inverseTemperature);
      const tokens = drawn.tokens.reshape([slots, width]);
      const goesOn = tokens.reshape([slots, width, 1]).notEqual(stops).all(2).toInt();
      const at = (x: tf.Tensor, place: number) => x.slice([0, place], [slots, 1]);
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
      const count = counted.reduce((sum, each) => sum.add(each)).reshape([slots]);
      const ends = counted
        .map((each, place) => each.mul(int(1).sub(at(goesOn, place))))
        .reduce((sum, each) => sum.add(each))
        .reshape([slots]);
      const longer = counted.reduce<tf.Tensor>((before, each, place) => {
        const isHere = places.equal(column(known).add(int(place)).mul(each).sub(int(1).sub(each)));
        return tf.where(isHere, tf.tile(at(tokens, place), [1, table.length]), before);
      }, history);
      const isGuessed = guessed
        .greaterEqual(int(0))
        .toInt()
        .sum(1)
        .mul(isActive.reshape([slots]));
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
      tf.zeros([slots], "int32"),
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
      history: int32([slots, table.length]),
      positions: int32([slots]),
      left: int32([slots]),
      stops: int32([slots, stopTokensOnDevice]),
      ...drawInputs(slots, steps * width),
      ...(truncates ? truncationInputs(slots) : {}),
    },
    body,
  };
}
