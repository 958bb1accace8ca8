import { customGrad, tf } from "@palimpsest/jit";

/**
 * x / √(mean(x²) + eps) · gain over the last axis. With n = x·r, r = 1 / √(mean(x²) + eps) and the gradient s = dy·gain:
 * dx = r · (s − n·mean(s·n)), dgain = Σ dy·n.
 * @param x    float32 [..., D]
 * @param gain float32 [D]
 * @returns float32 [..., D]; differentiable in x and gain
 */
export function rmsNorm(x: tf.Tensor, gain: tf.Tensor, eps: number): tf.Tensor {
  const compute = (input: tf.Tensor, gains: tf.Tensor) => {
    const factor = input.square().mean(-1, true).add(eps).rsqrt(); // [..., 1]
    const normed = input.mul(factor);
    return { value: normed.mul(gains), saved: [normed, factor, gains] as const };
  };
  return customGrad([x, gain], compute, gradients);
}

function gradients(
  gradient: tf.Tensor,
  [normed, factor, gain]: readonly [normed: tf.Tensor, factor: tf.Tensor, gain: tf.Tensor],
): tf.Tensor[] {
  const width = gain.shape[0] ?? 0;
  const rows = normed.size / width;
  // Both sums are over products of gradient and normed: computes the products once, then one sum along each axis.
  const products = gradient.mul(normed).reshape([rows, width]);
  const means = tf
    .matMul(products, gain.reshape([width, 1]))
    .div(width)
    .reshape(factor.shape);
  const ofInput = gradient.mul(gain).sub(normed.mul(means)).mul(factor);
  return [ofInput, products.sum(0)];
}
