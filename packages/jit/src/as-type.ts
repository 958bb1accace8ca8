import { BFLOAT16, DATA_TYPE } from "./tensorflow-binding.js";
import { tf } from "./tf.js";
import { currentTrace, type Trace } from "./trace.js";

/** Types of real numbers that a graph computes in. */
export type FloatType = "float32" | "bfloat16";

const numbers = { float32: DATA_TYPE.float32, bfloat16: BFLOAT16 } as const;

/**
 * Rounds to bfloat16 (8 bits of mantissa, half the memory) or widens to float32. What follows computes in that type: where
 * both types meet it is float32, except that constants follow the other side and matrix products take bfloat16. A
 * bfloat16 tensor says `float32` as its dtype, since tfjs knows no other; `floatTypeOf` says what it is. Differentiable: the
 * gradient is cast back. Outside of a trace, in mode eager, x is returned as it is.
 * @param x float32 or bfloat16, any shape
 */
export function asType(x: tf.Tensor, type: FloatType): tf.Tensor {
  const trace = currentTrace();
  if (trace === undefined || x.dtype !== "float32" || floatTypeOf(x) === type) return x;
  const cast = tf.customGrad((input) => {
    const before = floatTypeOf(input as tf.Tensor);
    return {
      value: castIn(trace, input as tf.Tensor, type),
      gradFunc: (dy: tf.Tensor) => castIn(trace, dy, before),
    };
  });
  return cast(x);
}

/** What a float32 tensor really is: in a trace it may be bfloat16. */
export function floatTypeOf(x: tf.Tensor): FloatType {
  return currentTrace()?.valueOf(x).dtype === BFLOAT16 ? "bfloat16" : "float32";
}

function castIn(trace: Trace, x: tf.Tensor, type: FloatType): tf.Tensor {
  return trace.cast(x, numbers[type]);
}
