import { JitError } from "../base/error.js";
import { tf } from "../base/tf.js";
import { ROTATE_PAIRS } from "../trace/shape-inference/rules.js";
import { currentTrace } from "../trace/trace.js";
import { customGrad } from "./custom-grad.js";

/**
 * Treats neighbors 2i and 2i + 1 of the last axis as one complex number and multiplies it by another: (a, b) by (c, s) is
 * (a·c − b·s, a·s + b·c). Traced in mode graph it is one pass over x. Differentiable in x.
 * @param x     float32 [..., 2n]
 * @param turns float32 [..., 2n] in the same order, broadcasts to x. No gradient.
 * @returns x's shape
 * @throws {JitError} SHAPE_MISMATCH
 */
export function rotatePairs(x: tf.Tensor, turns: tf.Tensor): tf.Tensor {
  const width = x.shape.at(-1) ?? 0;
  if (width % 2 !== 0 || turns.shape.at(-1) !== width || turns.rank !== x.rank) {
    throw new JitError(
      "SHAPE_MISMATCH",
      `rotatePairs: x [${x.shape.join(", ")}] and turns [${turns.shape.join(", ")}]; give equal ranks and an even last axis`,
    );
  }
  return customGrad(
    [x],
    (input) => ({ value: turned(input, turns), saved: [turns] }),
    (gradient, [kept]) => {
      const signs = tf.tensor2d([1, -1], [1, 2]);
      const back = kept
        .reshape([kept.size / 2, 2])
        .mul(signs)
        .reshape(kept.shape);
      return [turned(gradient, back)];
    },
  );
}

function turned(x: tf.Tensor, turns: tf.Tensor): tf.Tensor {
  const trace = currentTrace();
  if (trace === undefined) return composed(x, turns);
  const { shape, dtype } = trace.valueOf(x);
  const inputs = [trace.valueOf(x), trace.valueOf(turns)];
  const [result] = trace.record({ name: ROTATE_PAIRS, attributes: [], inputs }, [{ shape, dtype }]);
  if (result === undefined) throw new JitError("EXECUTION_FAILED", "rotatePairs recorded no output");
  return result;
}

function composed(x: tf.Tensor, turns: tf.Tensor): tf.Tensor {
  if (tf.getKernel(ROTATE_PAIRS, tf.getBackend()) !== undefined)
    return tf.engine().runKernel(ROTATE_PAIRS, { x, turns });
  return tf.tidy(() => {
    const halves = (y: tf.Tensor) =>
      tf.split(y.reshape([...y.shape.slice(0, -1), (y.shape.at(-1) ?? 0) / 2, 2]), 2, -1);
    const [a, b] = halves(x) as [tf.Tensor, tf.Tensor];
    const [c, s] = halves(turns) as [tf.Tensor, tf.Tensor];
    return tf.concat([a.mul(c).sub(b.mul(s)), a.mul(s).add(b.mul(c))], -1).reshape(x.shape);
  });
}
