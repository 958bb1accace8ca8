import { fuse, tf } from "@palimpsest/jit";

/**
 * silu(gate) · up. With σ = sigmoid(gate) and a = gate·σ: dup = dy·a, dgate = dy·up · (σ + a·(1 − σ)). Large, it is one
 * pass each way; nothing but gate and up is kept for the gradient.
 * @param gate float32 [N, F]
 * @param up   float32 [N, F]
 * @returns float32 [N, F]; differentiable in both
 */
export function swiglu(gate: tf.Tensor, up: tf.Tensor): tf.Tensor {
  const multiply = tf.customGrad((g, u, save) => {
    const [gates, ups] = [g as tf.Tensor, u as tf.Tensor];
    (save as tf.GradSaveFunc)([gates, ups]);
    return {
      value: fuse(() => gates.mul(gates.sigmoid()).mul(ups)),
      gradFunc: (gradient: tf.Tensor, saved: tf.Tensor[]) => {
        const [keptGates, keptUps] = saved as [tf.Tensor, tf.Tensor];
        return fuse(() => {
          const sigmoid = keptGates.sigmoid();
          const activated = keptGates.mul(sigmoid);
          // σ + a·(1 − σ) = σ · (1 + gate − a)
          const derivative = keptGates.sub(activated).add(1).mul(sigmoid);
          return [gradient.mul(keptUps).mul(derivative), gradient.mul(activated)];
        });
      },
    };
  });
  return multiply(gate, up);
}
