import { customGrad, fuse, type tf } from "@palimpsest/jit";

/**
 * silu(gate) · up. With σ = sigmoid(gate) and a = gate·σ: dup = dy·a, dgate = dy·up · (σ + a·(1 − σ)). For large tensors it is
 * one fused pass in each direction; only gate and up are kept for the gradient.
 * @param gate float32 [N, F]
 * @param up   float32 [N, F]
 * @returns float32 [N, F]; differentiable in both
 */
export function swiglu(gate: tf.Tensor, up: tf.Tensor): tf.Tensor {
  return customGrad(
    [gate, up],
    (gates, ups) => ({ value: fuse(() => gates.mul(gates.sigmoid()).mul(ups)), saved: [gates, ups] }),
    (gradient, [gates, ups]) =>
      fuse(() => {
        const sigmoid = gates.sigmoid();
        const activated = gates.mul(sigmoid);
        // σ + a·(1 − σ) = σ · (1 + gate − a)
        const derivative = gates.sub(activated).add(1).mul(sigmoid);
        return [gradient.mul(ups).mul(derivative), gradient.mul(activated)];
      }),
  );
}
