import { tf } from "./tf.js";

/**
 * `tf.grads` for use inside the gradient function of a `tf.customGrad`, such as one that computes a step again: there
 * the plain one would throw the tape of the gradient that is being taken away.
 * @returns takes the inputs and the gradient of the result; gives one gradient an input
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
