import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import { currentTrace, type Trace } from "../trace/trace.js";

/** Floating-point types that a graph computes in. */
export type FloatType = "float32" | "bfloat16";

const numbers = { float32: DATA_TYPE.float32, bfloat16: BFLOAT16 } as const;

/**
 * Rounds to bfloat16 (8 bits of mantissa, half the memory) or widens to float32. What follows computes in that type. An
 * operation on both types gives float32, except that constants take the other operand's type and matrix products use
 * bfloat16. A bfloat16 tensor's dtype says `float32`, because tfjs has no other; `floatTypeOf` returns the actual type. It is
 * differentiable: the gradient is cast back. Outside a trace, in mode eager, x is returned unchanged.
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

/** Returns the actual type of a float32 tensor, which may be bfloat16 in a trace. */
export function floatTypeOf(x: tf.Tensor): FloatType {
  return currentTrace()?.valueOf(x).dtype === BFLOAT16 ? "bfloat16" : "float32";
}

function castIn(trace: Trace, x: tf.Tensor, type: FloatType): tf.Tensor {
  return trace.cast(x, numbers[type]);
}
