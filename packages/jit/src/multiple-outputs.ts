import { JitError } from "./error.js";
import { tf } from "./tf.js";

/** A computation of several tensors and its gradient. */
export interface Computed {
  readonly outputs: readonly tf.Tensor[];
  /** @param gradients of the outputs by their index, where there are any; gives one an input */
  backward(gradients: ReadonlyMap<number, tf.Tensor>): tf.Tensor[];
}

/**
 * Several outputs of one computation with a gradient: tfjs's customGrad has one. A token stands for the computation, and
 * each output is a function of it; their gradients are gathered on the way back, before the token's is taken.
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
  if (made === undefined) throw new JitError("EXECUTION_FAILED", "a computation gave no outputs");
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
 * A computation whose gradient is an error, not silence: cut out of the tape, it would leave a gradient with a part
 * missing where another path leads to the same tensor.
 * @param inputs real-valued tensors that a gradient could be taken in
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
        `${name} has no gradient, and a gradient was taken through it; take it of what comes before`,
      );
    },
  }));
}
