import { entry } from "../base/entry.js";
import { tf } from "../base/tf.js";
import { asType, floatTypeOf } from "./as-type.js";
import { scan } from "./scan.js";

/**
 * Adds the rows of each segment in their order, as no scatter of a GPU does: XLA writes one with a fixed order as a loop over all rows.
 * Rows are sorted by segment, summed up to each row within its segment by doubling distances, and the last row of a segment has
 * its sum. In mode xla the comparisons of all pairs below exist only inside sums.
 * @param data [T, ...]
 * @param ids  int32 [T]; rows of segments outside 0 … count − 1 are left out
 * @returns [count, ...] in the type of `data`
 */
export function orderedSegmentSum(data: tf.Tensor, ids: tf.Tensor, count: number): tf.Tensor {
  const rest = data.shape.slice(1);
  const size = ids.size;
  const width = rest.reduce((product, length) => product * length, 1);
  if (size === 0 || width === 0) return tf.zeros([count, ...rest]);
  const int = (x: number): tf.Tensor => tf.scalar(x, "int32");
  const places = tf.range(0, size, 1, "int32");
  const [down, across] = [
    (x: tf.Tensor): tf.Tensor => x.reshape([size, 1]),
    (x: tf.Tensor): tf.Tensor => x.reshape([1, size]),
  ];
  const isBefore = tf.logicalOr(
    across(ids).less(down(ids)),
    tf.logicalAnd(across(ids).equal(down(ids)), across(places).less(down(places))),
  );
  const ranks = isBefore.toInt().sum(1);
  const order = across(ranks).equal(down(places)).toInt().mul(across(places)).sum(1);
  const sorted = tf.gather(ids, order);
  const rows = asType(tf.gather(data.reshape([size, width]), order), "float32");
  const distances = powersBelow(size);
  const summed =
    distances.length === 0
      ? rows
      : entry(
          scan({
            carry: [rows],
            xs: [tf.tensor1d(distances, "int32")],
            body: ([sums], [distance]) => {
              const from = places.sub(distance);
              const at = from.maximum(int(0));
              const isSame = tf.logicalAnd(from.greaterEqual(int(0)), tf.gather(sorted, at).equal(sorted));
              const added = tf.where(down(isSame), tf.gather(sums, at), tf.zerosLike(sums));
              return { carry: [sums.add(added)] };
            },
          }).carry,
          0,
        );
  const segments = tf.range(0, count, 1, "int32");
  const { carry } = scan({
    carry: [tf.zeros([count], "int32")],
    xs: [
      tf.tensor1d(
        [...distances, size].map((_, i, all) => 2 ** (all.length - 1 - i)),
        "int32",
      ),
    ],
    body: ([ends], [step]) => {
      const next = ends.add(step);
      const last = next.minimum(int(size)).sub(int(1));
      const fits = tf.logicalAnd(next.lessEqual(int(size)), tf.gather(sorted, last).lessEqual(segments));
      return { carry: [tf.where(fits, next, ends)] };
    },
  });
  const last = entry(carry, 0).sub(int(1)).maximum(int(0));
  const isAny = tf.gather(sorted, last).equal(segments).reshape([count, 1]);
  const found = tf.gather(summed, last);
  return asType(tf.where(isAny, found, tf.zerosLike(found)), floatTypeOf(data)).reshape([count, ...rest]);
}

/** 1, 2, 4, … below `size`. */
function powersBelow(size: number): number[] {
  const powers: number[] = [];
  for (let power = 1; power < size; power *= 2) powers.push(power);
  return powers;
}
