import type { ImportanceConfig } from "../config/loss-config.js";
import type { LossAlgebra } from "./loss-algebra.js";

/**
 * Computes the weight of each token that corrects the mismatch between the sampler, which drew it, and the trainer's own
 * log-probs for the same weights (π_old). With d = oldLogprobs − rolloutLogprobs, all without gradient:
 *
 * - `tis-token`: min(eᵈ, cap). Truncated importance sampling: Yao et al., "Your efficient RL framework
 *   secretly brings you off-policy RL training", 2025; slime's `--use-tis`, verl's `rollout_is: token`.
 * - `tis-sequence`: min(e^(Σd / tokens), cap), one weight per conversation; with `length: sum` e^Σd, which is verl's
 *   `rollout_is: sequence`.
 * - `sequence-mask`: that sequence ratio if low ≤ ratio ≤ high, else 0; with `weigh: false` 1 and 0.
 *   Masked importance sampling; TRL's `sequence_mask` has high 3.
 * - `icepop`: eᵈ if low ≤ eᵈ ≤ high, else 0. Ling team, "Small leak can sink a great ship", 2025.
 *
 * Denominators of the aggregation do not change: a token of weight 0 still counts.
 * @param sumBySequence sums over the tokens of each conversation, broadcastable to [batch, time]
 * @returns [batch, time] or [batch, 1]
 */
export function importanceWeights<V>(
  algebra: LossAlgebra<V>,
  inputs: { readonly oldLogprobs: V; readonly rolloutLogprobs: V; readonly lossMask: V },
  config: Exclude<ImportanceConfig, { kind: "none" }>,
  sumBySequence: (values: V) => V = algebra.sumTokens,
): V {
  const { sub, mul, div, exp, minimum, maximum } = algebra;
  const difference = mul(sub(inputs.oldLogprobs, inputs.rolloutLogprobs), inputs.lossMask); // [B, T]
  // Clamps to ±20 nats before exp, as verl does; the cap or the mask applies long before that.
  const ratioOf = (logRatio: V): V => exp(minimum(maximum(logRatio, -20), 20));
  const sequenceRatio = (length: "sum" | "mean"): V => {
    const total = sumBySequence(difference);
    if (length === "sum") return ratioOf(total);
    return ratioOf(div(total, maximum(sumBySequence(inputs.lossMask), 1)));
  };
  const within = (ratio: V, low: number, high: number): V =>
    mul(sub(1, algebra.greater(low, ratio)), sub(1, algebra.greater(ratio, high)));
  switch (config.kind) {
    case "tis-token":
      return minimum(ratioOf(difference), config.cap);
    case "tis-sequence":
      return minimum(sequenceRatio(config.length), config.cap);
    case "sequence-mask": {
      const ratio = sequenceRatio(config.length);
      const kept = within(ratio, config.low, config.high);
      return config.weigh ? mul(ratio, kept) : kept;
    }
    case "icepop": {
      const ratio = ratioOf(difference);
      return mul(ratio, within(ratio, config.low, config.high));
    }
  }
}
