import { randomUniform, tf } from "@palimpsest/jit";

/** Bits of a bfloat16 behind its first. */
const mantissaBits = 7;

/**
 * What is added to small changes of numbers that have 8 bits before they are rounded to 8 bits again. A sum is rounded to the
 * nearest, so a change of less than half a unit in the last place would be lost whole; and adapters add less than that to most
 * weights for many steps. With up to half a unit more or less, each number's own and the same at every call, as large a share of
 * the numbers moves by one unit as the change is of a unit. Numbers without a change stay what they are.
 * @param plain float32, before the change. Those that are no bfloat16 get 0: they lie between two of them already.
 * @param seed  another for each tensor of a shape
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
  // A little less than half, so that a number without a change is rounded to itself; below a power of two units are half as large.
  const widest = tf.where(tf.equal(units, 2 ** mantissaBits), tf.mul(unit, 0.499), tf.mul(unit, 0.999));
  const dither = tf.mul(tf.sub(uniform, 0.5), widest);
  return tf.where(isRounded, dither, tf.zerosLike(plain));
}
