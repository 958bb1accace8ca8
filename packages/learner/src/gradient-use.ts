import { asType, type JitBody, type TensorSpec, type Tensors, tf } from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "./config.js";
import type { AdamScalars } from "./optimizer.js";
import { adamwStep } from "./optimizer.js";
import { type StateKind, stateName, tensor } from "./state.js";

/*
 * Responsibility: what a compiled training function does with the gradients of its micro-batch: adds them to those of others, or
 *   applies them in the same launch where there are no others.
 * Not responsible for: which of the two a step takes (optimizer-step.ts), the gradients (compiled.ts).
 *
 * Invariants:
 * - AT-ONCE-1. A step that is applied in the launch of its gradients leaves weights and moments as they were, bit for bit, where
 *     its loss or the norm of its gradients is not finite or beyond what it was told; it says whether it was applied.
 */

interface Given {
  readonly state: Tensors;
  readonly inputs: Tensors;
  /** By the name of what they are of. */
  readonly gradients: Tensors;
  /** With `loss`; of the policy also `policyLogprobs`. */
  readonly outputs: Readonly<Record<string, tf.Tensor>>;
}

export interface GradientUse {
  /** What it is given besides what the micro-batch is. */
  readonly inputs: Readonly<Record<string, TensorSpec>>;
  readonly use: (given: Given) => ReturnType<JitBody>;
}

/** Adds to the accumulators. */
export const ACCUMULATED: GradientUse = {
  inputs: {},
  use: ({ state, gradients, outputs }) => ({
    outputs,
    state: Object.fromEntries(
      Object.entries(gradients).map(([name, gradient]) => {
        const key = stateName("gradient", name);
        return [key, tf.add(tensor(state, key), gradient)];
      }),
    ),
  }),
};

/** float32 [], of a step that is applied at once: those of AdamW that are known before the norm. */
export const AT_ONCE_SCALARS = ["decay", "stepSize", "rootCorrection"] as const;
/** float32 []: norms above it are not applied; infinite: all are that are finite. */
export const NORM_LIMIT = "normLimit";
/** float32 []: mean difference from the sampler over fresh tokens above which nothing is applied, nats. */
export const DIFFERENCE_LIMIT = "differenceLimit";
/** float32 [rows, length-1]: 1 for trained tokens that the present weights sampled. */
export const FRESH = "fresh";

/** Outputs beside those of a micro-batch. */
export const SQUARED_NORM = "squaredNorm";
export const APPLIED = "applied";

/**
 * Clips to the norm and applies.
 * @param perToken shape of what a policy's micro-batch has one of each token; absent: there is no sampler to differ from
 */
export function appliedAtOnce(
  config: Pick<ResolvedLearnerConfig, "optimizer">,
  perToken: TensorSpec | undefined,
): GradientUse {
  const scalar: TensorSpec = { shape: [], dtype: "float32" };
  const scalars = [...AT_ONCE_SCALARS, NORM_LIMIT].map((name) => [name, scalar] as const);
  const ofPolicy =
    perToken === undefined
      ? {}
      : { [DIFFERENCE_LIMIT]: scalar, [FRESH]: perToken, rolloutLogprobs: perToken };
  return {
    inputs: { ...Object.fromEntries(scalars), ...ofPolicy },
    use: ({ state, inputs, gradients, outputs }) => {
      // Wide before they are squared: bfloat16 has 8 bits of mantissa.
      const wide = Object.entries(gradients).map(([name, g]) => [name, asType(g, "float32")] as const);
      const squares = wide.map(([, gradient]) => tf.sum(tf.square(gradient)));
      const squaredNorm = squares.reduce((sum, square) => tf.add(sum, square));
      const norm = tf.sqrt(squaredNorm);
      const conditions = [
        tf.isFinite(tensor(outputs, "loss")),
        tf.isFinite(norm),
        tf.lessEqual(norm, tensor(inputs, NORM_LIMIT)),
        ...(perToken === undefined ? [] : [isNearSampler(inputs, outputs)]),
      ];
      const applied = conditions.reduce((both, condition) => tf.logicalAnd(both, condition));
      const given = { ...inputs, gradientScale: clipOf(norm, config.optimizer) } as Tensors & AdamScalars;
      const next: Record<string, tf.Tensor> = {};
      for (const [name, gradient] of wide) {
        const entry = (kind: StateKind) => tensor(state, stateName(kind, name));
        const before = { weights: entry("weights"), moment1: entry("moment1"), moment2: entry("moment2") };
        const after = adamwStep(before, gradient, given, config.optimizer);
        for (const kind of ["weights", "moment1", "moment2"] as const)
          next[stateName(kind, name)] = tf.where(applied, after[kind], before[kind]);
      }
      return { outputs: { ...outputs, [SQUARED_NORM]: squaredNorm, [APPLIED]: applied }, state: next };
    },
  };
}

/** As `adamwScalars` has it on the host. */
function clipOf(norm: tf.Tensor, { maxGradNorm }: ResolvedLearnerConfig["optimizer"]): tf.Tensor {
  if (maxGradNorm === null) return tf.scalar(1);
  return tf.minimum(tf.scalar(1), tf.div(tf.scalar(maxGradNorm), tf.add(norm, 1e-6)));
}

/** As `checkFresh` has it on the host; without fresh tokens there is nothing to differ. */
function isNearSampler(inputs: Tensors, outputs: Tensors): tf.Tensor {
  const fresh = tensor(inputs, FRESH);
  const difference = tf.abs(tf.sub(tensor(outputs, "policyLogprobs"), tensor(inputs, "rolloutLogprobs")));
  // Of tokens that are not fresh nothing is known, not even that they are finite.
  const counted = tf.where(tf.greater(fresh, 0), difference, tf.zerosLike(difference));
  // No token times an infinite limit would be no number.
  const tokens = tf.maximum(tf.sum(fresh), tf.scalar(1));
  return tf.lessEqual(tf.sum(counted), tf.mul(tensor(inputs, DIFFERENCE_LIMIT), tokens));
}
