import { customGrad, fuse, type tf } from "@palimpsest/jit";
import { architectureOf, type GateActivation } from "../base/architecture.js";
import type { ModelConfig } from "../base/config.js";

/**
 * act(gate) · up with act(x) = x·σ(z) and z = a·x + b·x³, which is SiLU or an approximation of GELU. With dup = dy·act:
 * dgate = dy·up · (σ + act·(1 − σ)·z'). For large tensors it is one fused pass in each direction; only gate and up are kept for the
 * gradient.
 * @param gate float32 [..., F]
 * @param up   float32 [..., F]
 * @returns float32 [..., F]; differentiable in both
 */
export function gatedUnit(gate: tf.Tensor, up: tf.Tensor, config: ModelConfig): tf.Tensor {
  const activation = architectureOf(config).gate;
  return customGrad(
    [gate, up],
    (gates, ups) => ({
      value: fuse(() => gates.mul(sigmoidOf(gates, activation)).mul(ups)),
      saved: [gates, ups],
    }),
    (gradient, [gates, ups]) =>
      fuse(() => {
        const sigmoid = sigmoidOf(gates, activation);
        const activated = gates.mul(sigmoid);
        return [
          gradient.mul(ups).mul(derivative(gates, sigmoid, activated, activation)),
          gradient.mul(activated),
        ];
      }),
  );
}

/** The same without a gradient of its own, for bodies that XLA fuses. */
export function plainGatedUnit(gate: tf.Tensor, up: tf.Tensor, config: ModelConfig): tf.Tensor {
  return gate.mul(sigmoidOf(gate, architectureOf(config).gate)).mul(up);
}

/** σ(a·x + b·x³) */
function sigmoidOf(x: tf.Tensor, { linear, cubic }: GateActivation): tf.Tensor {
  return cubic === 0
    ? (linear === 1 ? x : x.mul(linear)).sigmoid()
    : x.mul(x.square().mul(cubic).add(linear)).sigmoid();
}

/** σ + act·(1 − σ)·(a + 3b·x²) */
function derivative(
  x: tf.Tensor,
  sigmoid: tf.Tensor,
  activated: tf.Tensor,
  { linear, cubic }: GateActivation,
): tf.Tensor {
  // With a = 1 and b = 0 it is σ·(1 + x − act).
  if (cubic === 0 && linear === 1) return x.sub(activated).add(1).mul(sigmoid);
  const inner = x
    .square()
    .mul(3 * cubic)
    .add(linear);
  return sigmoid.add(activated.sub(activated.mul(sigmoid)).mul(inner));
}
