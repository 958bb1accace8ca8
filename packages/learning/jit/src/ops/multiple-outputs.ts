import { JitError } from "../base/error.js";
import { tf } from "../base/tf.js";

/** A computation of several tensors and its gradient. */
export interface Computed {
  readonly outputs: readonly tf.Tensor[];
  /** @param gradients of the outputs by their index, for those that have one; returns one per input */
  backward(gradients: ReadonlyMap<number, tf.Tensor>): tf.Tensor[];
}

/**
 * Gives a computation with several outputs a gradient, because tfjs's customGrad supports only one output. A token stands for
 * the computation, and each output is a function of it; their gradients are collected in the backward pass, before the token's
 * is computed.
 */
export function differentiableOutputs(
  inputs: readonly tf.Tensor[],
  compute: (detached: readonly tf.Tensor[]) => Computed,
): tf.Tensor[] {
  const gathered = new Map<number, tf.Tensor>();
  let made: Computed | undefined;
  const token = tf.customGrad((...args) => {
    const computed = compute(args.slice(0, -1) as tf.Tensor[]);
    made = computed;
    for (const tensor of computed.outputs) tf.keep(tensor);
    return {
      value: tf.scalar(0),
      gradFunc: () => {
        const gradients = new Map([...gathered].sort(([a], [b]) => a - b));
        gathered.clear();
        const below = computed.backward(gradients);
        for (const tensor of gradients.values()) tensor.dispose();
        return below;
      },
    };
  })(...inputs);
  if (made === undefined)
    throw new JitError("EXECUTION_FAILED", "internal: a computation returned no outputs");
  return made.outputs.map((output, index) => {
    if (output.dtype !== "float32") return output;
    const linked = tf.customGrad(() => ({
      value: output.clone(),
      gradFunc: (dy: tf.Tensor) => {
        const sum = gathered.get(index);
        gathered.set(index, tf.keep(sum === undefined ? dy.clone() : tf.add(sum, dy)));
        return tf.scalar(0);
      },
    }))(token);
    output.dispose();
    return linked;
  });
}

/**
 * Makes taking a gradient through a computation an error. If it were just cut out of the tape, a gradient would silently
 * lack a part if another path leads to the same tensor.
 * @param inputs real-valued tensors of which a gradient could be taken
 */
export function withoutGradient(
  name: string,
  inputs: readonly tf.Tensor[],
  compute: () => readonly tf.Tensor[],
): readonly tf.Tensor[] {
  if (!tf.engine().isTapeOn()) return compute();
  return differentiableOutputs(inputs, () => ({
    outputs: compute(),
    backward: () => {
      throw new JitError(
        "NO_GRADIENT",
        `${name} has no gradient, but a gradient was taken through it; take the gradient only of operations before it`,
      );
    },
  }));
}
