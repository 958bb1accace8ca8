import * as tf from "@tensorflow/tfjs";
import type { KlConfig } from "./loss-config.js";

/**
 * Estimate of KL(policy ‖ reference) at each sampled token, differentiable in `policyLogprobs`.
 * With d = refLogprobs − policyLogprobs:
 *
 * - `k1`: −d, unbiased, may be negative; `abs`: |d|
 * - `k2`: d² / 2
 * - `k3`: eᵈ − d − 1, unbiased and never negative; d is clamped to ±clampLogRatio first and the
 *   result to ±clampValue, each where the setting is not null
 *
 * Source: Schulman, "Approximating KL divergence", 2020. Clamps as in verl (20 and 10); slime's and
 * TRL's k3 has none.
 * @param policyLogprobs float32 [batch, time], nats
 * @param refLogprobs float32 [batch, time], nats; no gradient flows into it
 * @returns float32 [batch, time], nats; caller disposes
 */
export function klEstimate(
  policyLogprobs: tf.Tensor,
  refLogprobs: tf.Tensor,
  config: Pick<KlConfig, "estimator" | "clampLogRatio" | "clampValue">,
): tf.Tensor {
  const difference = tf.sub(refLogprobs, policyLogprobs); // [B, T]
  switch (config.estimator) {
    case "k1":
      return tf.neg(difference);
    case "abs":
      return tf.abs(difference);
    case "k2":
      return tf.mul(tf.square(difference), 0.5);
    case "k3": {
      const clamped = clampBoth(difference, config.clampLogRatio);
      return clampBoth(tf.sub(tf.sub(tf.exp(clamped), clamped), 1), config.clampValue);
    }
  }
}

/** values clamped to ±bound; no clamp when the bound is null. The gradient is 0 outside. */
export function clampBoth(values: tf.Tensor, bound: number | null): tf.Tensor {
  return bound === null ? values : tf.minimum(tf.maximum(values, -bound), bound);
}
