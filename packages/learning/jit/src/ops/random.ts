import { JitError } from "../base/error.js";
import { philoxUniform } from "../base/philox.js";
import { sizeOf } from "../base/spec.js";
import { isTensorflow, runOp, typeAttribute } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";

/**
 * Uniform random numbers that depend only on the seed and the shape: the same in every mode and on every backend.
 * @param shape  plain numbers
 * @param seed   int32 [2]
 * @returns float32 of `shape`, in [0, 1), multiples of 2^-23; no gradient
 * @throws {JitError} SHAPE_MISMATCH, DTYPE_MISMATCH for another seed
 */
export function randomUniform(shape: readonly number[], seed: tf.Tensor): tf.Tensor {
  if (seed.dtype !== "int32")
    throw new JitError("DTYPE_MISMATCH", `randomUniform: seed is ${seed.dtype}; give int32`);
  if (seed.shape.length !== 1 || seed.shape[0] !== 2) {
    throw new JitError(
      "SHAPE_MISMATCH",
      `randomUniform: seed has shape [${seed.shape.join(", ")}]; give [2]`,
    );
  }
  if (!isTensorflow()) {
    const [seed0 = 0, seed1 = 0] = seed.dataSync();
    return tf.tensor(philoxUniform(sizeOf(shape), seed0, seed1), [...shape], "float32");
  }
  return tf.tidy(() => {
    const attributes = [
      typeAttribute("dtype", "float32"),
      typeAttribute("T", "int32"),
      typeAttribute("Tseed", "int32"),
    ];
    const [values] = runOp("StatelessRandomUniform", attributes, [tf.tensor1d([...shape], "int32"), seed], 1);
    if (values === undefined)
      throw new JitError("EXECUTION_FAILED", "internal: StatelessRandomUniform returned no output");
    return values;
  });
}
