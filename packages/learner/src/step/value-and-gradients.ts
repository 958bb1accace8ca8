import { type Tensors, tf } from "@palimpsest/jit";

/** The result of a loss function: the scalar to differentiate, and tensors that are returned with it. */
export interface LossAndOutputs {
  readonly loss: tf.Tensor;
  readonly outputs: Tensors;
}

/**
 * Returns the loss, its gradients and its outputs, like JAX's `value_and_grad` with `has_aux`.
 * @param parameters the tensors with respect to which gradients are taken
 * @returns gradients by the names of the parameters; the loss is among the outputs as `loss`
 */
export function valueAndGradients(
  lossOf: (parameters: Tensors) => LossAndOutputs,
  parameters: Tensors,
): { readonly gradients: Record<string, tf.Tensor>; readonly outputs: Record<string, tf.Tensor> } {
  const names = Object.keys(parameters);
  const reported = new Map<string, tf.Tensor>();
  const { value, grads } = tf.valueAndGrads((...values: tf.Tensor[]) => {
    const named = Object.fromEntries(values.map((tensor, index) => [names[index], tensor]));
    const { loss, outputs } = lossOf(named);
    // tfjs disposes everything in this scope except the loss, unless it is kept.
    for (const [name, tensor] of Object.entries(outputs)) reported.set(name, tf.keep(tensor));
    return loss.asScalar();
  })(Object.values(parameters));
  const outputs: Record<string, tf.Tensor> = { loss: value };
  for (const [name, kept] of reported) {
    // The clone belongs to the caller's scope again.
    outputs[name] = tf.clone(kept);
    kept.dispose();
  }
  return {
    gradients: Object.fromEntries(grads.map((gradient, index) => [names[index], gradient])),
    outputs,
  };
}
