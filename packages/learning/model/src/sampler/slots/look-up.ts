import { tf } from "@palimpsest/jit";
import { longestGram, shortestGram } from "../batch/guesses.js";
import { noToken } from "./table-decode.js";

/**
 * Prompt lookup as in guesses.ts, for all slots at once on the device: the tokens after the latest place whose last tokens, up to
 * four and at least two, equal the last ones.
 * @param history int32 [S, H], a slot's tokens in order
 * @param known   int32 [S], how many of them there are, at least 1
 * @returns int32 [S, count], -1 where nothing is guessed
 */
export function lookUp(history: tf.Tensor, known: tf.Tensor, count: number): tf.Tensor {
  const [slots = 0, length = 0] = history.shape;
  const int = (x: number) => tf.scalar(x, "int32");
  const places = tf.range(0, length, 1, "int32").reshape([1, length]);
  const rows = tf.range(0, slots, 1, "int32").mul(int(length)).reshape([slots, 1]);
  const flat = history.reshape([slots * length]);
  const at = (columns: tf.Tensor) => tf.gather(flat, rows.add(columns));
  const ends = known.reshape([slots, 1]).sub(int(1));
  // How many tokens that end at a place equal the last ones.
  let isSame: tf.Tensor = places.less(ends);
  let run: tf.Tensor = tf.zeros([slots, length], "int32");
  for (let back = 0; back < longestGram; back++) {
    const shifted =
      back === 0
        ? history
        : tf.concat(
            [tf.fill([slots, back], noToken, "int32"), history.slice([0, 0], [slots, length - back])],
            1,
          );
    isSame = tf.logicalAnd(isSame, shifted.equal(at(ends.sub(int(back)).maximum(int(0)))));
    run = run.add(isSame.toInt());
  }
  const longest = run.max(1, true);
  const isBest = tf.logicalAnd(run.equal(longest), longest.greaterEqual(int(shortestGram)));
  const none = tf.fill([slots, length], -1, "int32");
  const found = tf.where(isBest, tf.tile(places, [slots, 1]), none).max(1, true); // [S, 1]
  const next = found.add(tf.range(1, count + 1, 1, "int32").reshape([1, count]));
  const isKnown = tf.logicalAnd(found.greaterEqual(int(0)), next.lessEqual(ends));
  return tf.where(isKnown, at(next.minimum(int(length - 1))), tf.fill([slots, count], noToken, "int32"));
}
