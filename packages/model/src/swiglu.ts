import * as tf from "@tensorflow/tfjs";

/**
 * silu(gate) · up. With σ = sigmoid(gate) and a = gate·σ: dup = dy·a, dgate = dy·up · (σ + a·(1 − σ)).
 * @param gate float32 [N, F]
 * @param up   float32 [N, F]
 * @returns float32 [N, F]; differentiable in both
 */
export function swiglu(gate: tf.Tensor, up: tf.Tensor): tf.Tensor {
  const multiply = tf.customGrad((g, u, save) => {
    const [gates, ups] = [g as tf.Tensor, u as tf.Tensor];
    const sigmoid = gates.sigmoid();
    const activated = gates.mul(sigmoid);
    (save as tf.GradSaveFunc)([gates, ups, sigmoid, activated]);
    return {
      value: activated.mul(ups),
      gradFunc: (slope: tf.Tensor, saved: tf.Tensor[]) => {
        const [keptGates, keptUps, keptSigmoid, keptActivated] = saved as [
          tf.Tensor,
          tf.Tensor,
          tf.Tensor,
          tf.Tensor,
        ];
        // σ + a·(1 − σ) = σ · (1 + gate − a)
        const derivative = keptGates.sub(keptActivated).add(1).mul(keptSigmoid);
        return [slope.mul(keptUps).mul(derivative), slope.mul(keptActivated)];
      },
    };
  });
  return multiply(gate, up);
}
