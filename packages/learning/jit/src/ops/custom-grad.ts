import { tf } from "../base/tf.js";

/** The tensors of a list, by their positions in it. */
export type TensorsOf<List extends readonly tf.Tensor[]> = { -readonly [Position in keyof List]: tf.Tensor };

/** The result of a computation, and the tensors that its gradient needs. */
export interface Computed<Saved extends readonly tf.Tensor[]> {
  readonly value: tf.Tensor;
  /** These outlive the scope that created them; everything else that the computation created is disposed. */
  readonly saved: Saved;
}

/**
 * `tf.customGrad` with types: evaluates a computation on the inputs and attaches its own gradient to it.
 * @param gradients computes the gradients in the inputs, in their order, from that of the loss in the value
 */
export function customGrad<
  const Inputs extends readonly tf.Tensor[],
  const Saved extends readonly tf.Tensor[],
>(
  inputs: Inputs,
  compute: (...inputs: TensorsOf<Inputs>) => Computed<Saved>,
  gradients: (gradient: tf.Tensor, saved: TensorsOf<Saved>) => tf.Tensor[],
): tf.Tensor;
export function customGrad(
  inputs: readonly tf.Tensor[],
  compute: (...inputs: tf.Tensor[]) => Computed<readonly tf.Tensor[]>,
  gradFunc: (gradient: tf.Tensor, saved: tf.Tensor[]) => tf.Tensor[],
): tf.Tensor {
  const run = tf.customGrad((...given) => {
    // The last argument is tfjs's save function.
    const save = given.at(-1) as tf.GradSaveFunc;
    const { value, saved } = compute(...(given.slice(0, -1) as tf.Tensor[]));
    save([...saved]);
    return { value, gradFunc };
  });
  return run(...inputs);
}
