import { tf } from "@palimpsest/jit";
import {
  doubleAlgebra,
  doubleGradient,
  doubleMatrix,
  type LossTerms,
  policyLoss,
  tensorAlgebra,
} from "@palimpsest/learner";

/** The inputs of a loss; see `LossInputs`. */
export type LossNumbers = Readonly<
  Record<
    "policyLogprobs" | "oldLogprobs" | "refLogprobs" | "lossMask" | "advantages" | "tokenWeights",
    readonly (readonly number[])[]
  >
>;

export interface EvaluatedLoss {
  readonly loss: number;
  /** The gradient with respect to each policy log-probability, row-major. */
  readonly gradient: readonly number[];
}

/**
 * Computes a loss and its gradient with the learner's own formula, in float32 tensors of the active backend and in
 * float64.
 */
export function evaluateLoss(
  numbers: LossNumbers,
  terms: LossTerms,
): { readonly float32: EvaluatedLoss; readonly double: EvaluatedLoss } {
  return { float32: inFloat32(numbers, terms), double: inDouble(numbers, terms) };
}

function inFloat32({ policyLogprobs, ...rest }: LossNumbers, terms: LossTerms): EvaluatedLoss {
  return tf.tidy(() => {
    const matrix = (rows: readonly (readonly number[])[]) => tf.tensor2d(rows.map((row) => [...row]));
    const constants = {
      oldLogprobs: matrix(rest.oldLogprobs),
      refLogprobs: matrix(rest.refLogprobs),
      lossMask: matrix(rest.lossMask),
      advantages: matrix(rest.advantages),
      tokenWeights: matrix(rest.tokenWeights),
    };
    const f = (policy: tf.Tensor) =>
      policyLoss(tensorAlgebra, { policyLogprobs: policy, ...constants }, terms) as tf.Scalar;
    const { value, grad } = tf.valueAndGrad(f)(matrix(policyLogprobs));
    return { loss: value.dataSync()[0] ?? Number.NaN, gradient: [...grad.dataSync()] };
  });
}

function inDouble(numbers: LossNumbers, terms: LossTerms): EvaluatedLoss {
  const policyLogprobs = doubleMatrix(numbers.policyLogprobs);
  const constants = {
    oldLogprobs: doubleMatrix(numbers.oldLogprobs),
    refLogprobs: doubleMatrix(numbers.refLogprobs),
    lossMask: doubleMatrix(numbers.lossMask),
    advantages: doubleMatrix(numbers.advantages),
    tokenWeights: doubleMatrix(numbers.tokenWeights),
  };
  const result = policyLoss(doubleAlgebra, { policyLogprobs, ...constants }, terms);
  doubleGradient(result);
  return { loss: result.values[0] ?? Number.NaN, gradient: [...policyLogprobs.gradient] };
}
