import { tf } from "@palimpsest/jit";

/**
 * x / √(mean(x²) + eps) · gain over the last axis. With n = x·r, r = 1 / √(mean(x²) + eps) and the gradient s = dy·gain:
 * dx = r · (s − n·mean(s·n)), dgain = Σ dy·n.
 * @param x    float32 [..., D]
 * @param gain float32 [D]
 * @returns float32 [..., D]; differentiable in x and gain
 */
export function rmsNorm(x: tf.Tensor, gain: tf.Tensor, eps: number): tf.Tensor {
  const norm = tf.customGrad((input, weights, save) => {
    const [values, gains] = [input as tf.Tensor, weights as tf.Tensor];
    const factor = values.square().mean(-1, true).add(eps).rsqrt(); // [..., 1]
    const normed = values.mul(factor);
    (save as tf.GradSaveFunc)([normed, factor, gains]);
    return {
      value: normed.mul(gains),
      gradFunc: (gradient: tf.Tensor, saved: tf.Tensor[]) => gradients(gradient, saved),
    };
  });
  return norm(x, gain);
}

function gradients(gradient: tf.Tensor, saved: readonly tf.Tensor[]): tf.Tensor[] {
  const [normed, factor, gain] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
  const width = gain.shape[0] as number;
  const rows = normed.size / width;
  // Both sums over products of gradient and normed: one product, then one along each axis.
  const products = gradient.mul(normed).reshape([rows, width]);
  const means = tf
    .matMul(products, gain.reshape([width, 1]))
    .div(width)
    .reshape(factor.shape);
  const ofInput = gradient.mul(gain).sub(normed.mul(means)).mul(factor);
  return [ofInput, products.sum(0)];
}
