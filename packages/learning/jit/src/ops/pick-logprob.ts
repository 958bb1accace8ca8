import { JitError } from "../base/error.js";
import { isTensorflow, runOp, typeAttribute } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import { customGrad } from "./custom-grad.js";

/**
 * Log-softmax of each row at one column, in nats. Differentiable in the logits; one fused operation on tensorflow.
 * @param logits float32 [n, V]
 * @param ids    int32 [n], each in [0, V)
 * @returns float32 [n]
 * @throws {JitError} SHAPE_MISMATCH, DTYPE_MISMATCH
 */
export function pickLogprob(logits: tf.Tensor, ids: tf.Tensor): tf.Tensor {
  const [rows, columns] = logits.shape;
  if (
    rows === undefined ||
    columns === undefined ||
    logits.shape.length !== 2 ||
    ids.shape.join() !== String(rows)
  ) {
    throw new JitError(
      "SHAPE_MISMATCH",
      `pickLogprob: logits [${logits.shape.join(", ")}] and ids [${ids.shape.join(", ")}]; give [n, V] and [n]`,
    );
  }
  if (ids.dtype !== "int32")
    throw new JitError("DTYPE_MISMATCH", `pickLogprob: ids are ${ids.dtype}; give int32`);
  return isTensorflow()
    ? fused(logits, ids)
    : tf.tidy(() => tf.sum(tf.mul(tf.logSoftmax(logits), tf.oneHot(ids, columns)), 1));
}

function fused(logits: tf.Tensor, ids: tf.Tensor): tf.Tensor {
  const compute = (x: tf.Tensor) => {
    const attributes = [typeAttribute("T", "float32"), typeAttribute("Tlabels", "int32")];
    const [loss, gradient] = runOp("SparseSoftmaxCrossEntropyWithLogits", attributes, [x, ids], 2);
    if (loss === undefined || gradient === undefined)
      throw new JitError("EXECUTION_FAILED", "internal: the fused log-softmax returned no output");
    return { value: tf.neg(loss), saved: [gradient] as const };
  };
  // The sign is applied to the rows' gradients, which are small.
  return customGrad([logits], compute, (dy, [kept]) => [tf.mul(kept, tf.expandDims(tf.neg(dy), 1))]);
}
