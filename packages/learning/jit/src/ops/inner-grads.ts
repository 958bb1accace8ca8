import { tf } from "../base/tf.js";

/**
 * `tf.grads` for use inside the gradient function of a `tf.customGrad`, such as one that recomputes a step: there, the
 * plain one would discard the tape of the outer gradient.
 * @returns a function that takes the inputs and the gradient of the result, and returns one gradient per input
 */
export function innerGrads(
  f: (...inputs: tf.Tensor[]) => tf.Tensor,
): (inputs: tf.Tensor[], gradient: tf.Tensor) => tf.Tensor[] {
  return (inputs, gradient) => {
    const { state } = tf.engine();
    const outer = state.activeTape;
    try {
      return tf.grads(f)(inputs, gradient);
    } finally {
      state.activeTape = outer;
    }
  };
}
