import { JitError } from "../base/error.js";
import { tf } from "../base/tf.js";
import { ADAM } from "../trace/shape-inference/rules.js";
import { currentTrace } from "../trace/trace.js";
import { withoutGradient } from "./multiple-outputs.js";

/** All float32. Weights, moments and gradient have the same shape; the other tensors are scalars. */
export interface AdamOptions {
  readonly weights: tf.Tensor;
  readonly moment1: tf.Tensor;
  readonly moment2: tf.Tensor;
  readonly gradient: tf.Tensor;
  /** Factor on the gradient, for clipping. */
  readonly gradientScale: tf.Tensor;
  /** Factor on the old weights, for decoupled decay; absent: 1. */
  readonly decay?: tf.Tensor;
  readonly stepSize: tf.Tensor;
  /** Factor on the root of the second moment, for its bias. */
  readonly rootCorrection: tf.Tensor;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
}

export interface AdamResult {
  readonly weights: tf.Tensor;
  readonly moment1: tf.Tensor;
  readonly moment2: tf.Tensor;
}

/**
 * One step of Adam: m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², w ← decay·w − stepSize · m / (√v · rootCorrection + ε).
 * Traced in mode graph, if weights and moments are state entries whose new values are the results, it is one pass
 * over the variables themselves. Large entries are then updated one after another, so that at most one scaled gradient
 * exists at a time.
 * @throws {JitError} SHAPE_MISMATCH if the four tensors differ in shape; NO_GRADIENT if a gradient is taken through it
 */
export function adam(options: AdamOptions): AdamResult {
  const { weights, moment1, moment2, gradient } = options;
  for (const tensor of [moment1, moment2, gradient]) {
    if (tensor.shape.join() === weights.shape.join()) continue;
    throw new JitError(
      "SHAPE_MISMATCH",
      `adam: weights have shape [${weights.shape.join(", ")}], but gradient or moments [${tensor.shape.join(", ")}]; give equal shapes`,
    );
  }
  const inputs = [weights, moment1, moment2, gradient];
  const [w, m, v] = withoutGradient("adam", inputs, () =>
    tf.tidy(() => {
      const result = step(options);
      return [result.weights, result.moment1, result.moment2];
    }),
  );
  if (w === undefined || m === undefined || v === undefined)
    throw new JitError("EXECUTION_FAILED", "internal: adam returned no result");
  return { weights: w, moment1: m, moment2: v };
}

function step(options: AdamOptions): AdamResult {
  const trace = currentTrace();
  if (trace === undefined) return composed(options);
  const {
    weights,
    moment1,
    moment2,
    gradient,
    beta1,
    beta2,
    epsilon,
    gradientScale,
    stepSize,
    rootCorrection,
    decay,
  } = options;
  const constants = [beta1, beta2, epsilon].map((value) => tf.scalar(value));
  const tensors = [
    weights,
    moment1,
    moment2,
    gradient,
    gradientScale,
    stepSize,
    rootCorrection,
    ...constants,
  ];
  const inputs = [...tensors, ...(decay === undefined ? [] : [decay])].map((tensor) => trace.valueOf(tensor));
  const [form] = inputs;
  if (form === undefined)
    throw new JitError("EXECUTION_FAILED", "internal: adam was recorded without weights");
  const { shape, dtype } = form;
  const [w, m, v] = trace.record(
    { name: ADAM, attributes: [], inputs },
    [form, form, form].map(() => ({ shape, dtype })),
  );
  if (w === undefined || m === undefined || v === undefined)
    throw new JitError("EXECUTION_FAILED", "internal: adam recorded no outputs");
  return { weights: w, moment1: m, moment2: v };
}

function composed(options: AdamOptions): AdamResult {
  const { beta1, beta2, epsilon, decay } = options;
  const scaled = tf.mul(options.gradient, options.gradientScale);
  const moment1 = tf.add(tf.mul(options.moment1, beta1), tf.mul(scaled, 1 - beta1));
  const moment2 = tf.add(tf.mul(options.moment2, beta2), tf.mul(tf.square(scaled), 1 - beta2));
  const denominator = tf.add(tf.mul(tf.sqrt(moment2), options.rootCorrection), epsilon);
  const change = tf.mul(tf.div(moment1, denominator), options.stepSize);
  const kept = decay === undefined ? options.weights : tf.mul(options.weights, decay);
  return { weights: tf.sub(kept, change), moment1, moment2 };
}
