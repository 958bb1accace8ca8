import { JitError } from "../base/error.js";
import { tf } from "../base/tf.js";
import { SCATTER_ROWS } from "../trace/shape-inference/rules.js";
import { currentTrace } from "../trace/trace.js";
import { withoutGradient } from "./multiple-outputs.js";

/**
 * Writes rows into a table of rows, such as a KV cache. When traced, given a state entry whose new value is the result and
 * whose old value nothing else uses, it writes into the variable itself, without a copy. Otherwise it copies.
 * @param target  [R, T, ...]
 * @param indices int32 [n, 2], pairs (r, t); for a duplicate pair either row is kept
 * @param values  [n, ...], target's type
 * @returns the updated table, target's shape
 * @throws {JitError} SHAPE_MISMATCH, DTYPE_MISMATCH; NO_GRADIENT if a gradient is taken through it
 */
export function scatterRows(target: tf.Tensor, indices: tf.Tensor, values: tf.Tensor): tf.Tensor {
  check(target, indices, values);
  const [table] = withoutGradient("scatterRows", [target, values], () => [write(target, indices, values)]);
  if (table === undefined) throw new JitError("EXECUTION_FAILED", "internal: scatterRows returned no table");
  return table;
}

function write(target: tf.Tensor, indices: tf.Tensor, values: tf.Tensor): tf.Tensor {
  const trace = currentTrace();
  if (trace === undefined) return tf.tensorScatterUpdate(target, indices, values);
  return tf.tidy(() => {
    const columns = target.shape[1] ?? 1;
    const flat = tf.sum(tf.mul(indices, tf.tensor1d([columns, 1], "int32")), 1);
    const operands = [target, indices, values, flat];
    const inputs = operands.map((operand) => trace.valueOf(operand));
    const [table] = inputs;
    const outputs = table === undefined ? [] : [{ shape: table.shape, dtype: table.dtype }];
    const [result] = trace.record({ name: SCATTER_ROWS, attributes: [], inputs }, outputs);
    if (result === undefined) throw new JitError("EXECUTION_FAILED", "scatterRows recorded no output");
    return result;
  });
}

function check(target: tf.Tensor, indices: tf.Tensor, values: tf.Tensor): void {
  const [count] = indices.shape;
  const expected = [count, ...target.shape.slice(2)];
  const fits = target.shape.length >= 2 && indices.shape.length === 2 && indices.shape[1] === 2;
  if (!fits || values.shape.join() !== expected.join()) {
    throw new JitError(
      "SHAPE_MISMATCH",
      `scatterRows: target [${target.shape.join(", ")}], indices [${indices.shape.join(", ")}], values ` +
        `[${values.shape.join(", ")}]; give [R, T, ...], [n, 2] and [n, ...]`,
    );
  }
  if (indices.dtype !== "int32" || values.dtype !== target.dtype) {
    throw new JitError(
      "DTYPE_MISMATCH",
      `scatterRows: indices are ${indices.dtype}, values ${values.dtype}, target ${target.dtype}; ` +
        "give int32 indices, and values of the target's type",
    );
  }
}
