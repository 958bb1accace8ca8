import { type Tensors, tf } from "@palimpsest/jit";

/** What a loss function gives: the scalar that is differentiated, and tensors that are reported beside it. */
export interface LossAndOutputs {
  readonly loss: tf.Tensor;
  readonly outputs: Tensors;
}

/**
 * The loss, its gradients and its outputs, as JAX's `value_and_grad` with `has_aux`.
 * @param parameters what the gradients are taken in
 * @returns gradients by the names of the parameters; the loss among the outputs as `loss`
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
    // tfjs disposes of everything in this scope but the loss, unless it is kept.
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
