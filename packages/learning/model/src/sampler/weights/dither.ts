import { randomUniform, tf } from "@palimpsest/jit";

/** Bits of a bfloat16's significand after the first. */
const mantissaBits = 7;

/**
 * Computes a dither to add to numbers with 8 significant bits and a small change before they are rounded to 8 bits again.
 * Plain rounding would lose any change of less than half a unit in the last place, and for many steps adapters change most
 * weights by less than that. With a dither of up to ± half a unit, fixed for each number, the fraction of numbers that move
 * by one unit equals the size of the change in units. Numbers without a change stay as they are.
 * @param plain float32, before the change. Those that are not bfloat16 get 0, because they already lie between two of them.
 * @param seed  different for each tensor of the same shape
 * @returns float32, plain's shape
 */
export function ditherOf(plain: tf.Tensor, seed: number): tf.Tensor {
  const two = tf.scalar(2);
  const magnitude = tf.abs(plain);
  const exponent = tf.floor(tf.div(tf.log(magnitude), Math.LN2));
  const unit = tf.pow(two, tf.sub(exponent, mantissaBits));
  const units = tf.div(magnitude, unit);
  const isRounded = tf.logicalAnd(tf.equal(units, tf.floor(units)), tf.greater(magnitude, 0));
  const uniform = randomUniform(plain.shape, tf.tensor1d([seed, mantissaBits], "int32"));
  // A little less than half, so that an unchanged number is rounded to itself; below a power of two, units are half as large.
  const widest = tf.where(tf.equal(units, 2 ** mantissaBits), tf.mul(unit, 0.499), tf.mul(unit, 0.999));
  const dither = tf.mul(tf.sub(uniform, 0.5), widest);
  return tf.where(isRounded, dither, tf.zerosLike(plain));
}
