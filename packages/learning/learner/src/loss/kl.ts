import type { KlConfig } from "../config/loss-config.js";
import type { LossAlgebra } from "./loss-algebra.js";

/**
 * Estimates KL(policy ‖ reference) at each sampled token, differentiable in `policyLogprobs`.
 * With d = refLogprobs − policyLogprobs:
 *
 * - `k1`: −d, unbiased, may be negative; `abs`: |d|
 * - `k2`: d² / 2
 * - `k3`: eᵈ − d − 1, unbiased and never negative; d is first clamped to ±clampLogRatio and the
 *   result to ±clampValue, each unless the setting is null
 *
 * Source: Schulman, "Approximating KL divergence", 2020. Clamps as in verl (20 and 10); slime's and
 * TRL's k3 have none.
 * @param policyLogprobs [batch, time], nats
 * @param refLogprobs [batch, time], nats
 * @returns [batch, time], nats
 */
export function klEstimate<V>(
  algebra: LossAlgebra<V>,
  policyLogprobs: V,
  refLogprobs: V,
  config: Pick<KlConfig, "estimator" | "clampLogRatio" | "clampValue">,
): V {
  const { sub, abs, mul, square, exp } = algebra;
  const difference = sub(refLogprobs, policyLogprobs); // [B, T]
  switch (config.estimator) {
    case "k1":
      return mul(difference, -1);
    case "abs":
      return abs(difference);
    case "k2":
      return mul(square(difference), 0.5);
    case "k3": {
      const clamped = clampBoth(algebra, difference, config.clampLogRatio);
      return clampBoth(algebra, sub(sub(exp(clamped), clamped), 1), config.clampValue);
    }
  }
}

/** Clamps values to ±bound; does not clamp if the bound is null. The gradient is 0 outside. */
export function clampBoth<V>(algebra: LossAlgebra<V>, values: V, bound: number | null): V {
  return bound === null ? values : algebra.minimum(algebra.maximum(values, -bound), bound);
}
