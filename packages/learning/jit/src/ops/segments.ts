import { tf } from "../base/tf.js";

/** The positions of rows in packed sequences. Create it once for all layers, with `packedSegments`. */
export interface Segments {
  /** int32 [B, T], the number of each position's segment; 0: padding. */
  readonly ids: tf.Tensor;
  /** int32 [slots], number of positions of each segment; 0 for unused slots. */
  readonly lengths: tf.Tensor;
  /** int32 [slots + B], first position of each segment among all B · T; B · T for unused slots. */
  readonly starts: tf.Tensor;
}

/**
 * @param ids   int32 [B, T]: segments are numbered 1, 2, … in order, over all sequences; 0: padding
 * @param count maximum number of segments in all sequences together
 */
export function packedSegments(ids: tf.Tensor, count: number): Segments {
  const [sequences = 0, length = 0] = ids.shape;
  const places = sequences * length;
  // cuDNN counts segments per sequence, and would treat a single one as a sequence that is not packed.
  const slots = sequences * Math.max(2, Math.ceil(count / sequences));
  const numbers = tf.range(1, slots + 1, 1, "int32").reshape([slots, 1]);
  const isOf = ids.reshape([1, places]).equal(numbers); // [slots, B·T]
  const positions = tf.range(0, places, 1, "int32").reshape([1, places]);
  const none = tf.fill([slots, places], places, "int32");
  const starts = tf.where(isOf, tf.tile(positions, [slots, 1]), none).min(1);
  const filler = tf.fill([sequences], places, "int32");
  return { ids, lengths: isOf.toInt().sum(1).toInt(), starts: tf.concat([starts.toInt(), filler]) };
}
