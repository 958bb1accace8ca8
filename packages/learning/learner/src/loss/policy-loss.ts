import type { ImportanceConfig, KlConfig, LossConfig } from "../config/loss-config.js";
import { importanceWeights } from "./importance.js";
import { clampBoth, klEstimate } from "./kl.js";
import type { LossAlgebra } from "./loss-algebra.js";

/** Values of one micro-batch. Logs in nats; [batch, time], or [batch, 1] where stated. */
export interface LossInputs<V> {
  /** Log-probs under the current weights; the gradient flows into these. */
  readonly policyLogprobs: V;
  /** π_old, the denominator of the ratio. */
  readonly oldLogprobs: V;
  /** Log-probs under the weights and engine that sampled the token; needed by an importance correction. */
  readonly rolloutLogprobs?: V;
  /** Log-probs under the frozen reference; needed by a KL in the loss. */
  readonly refLogprobs?: V;
  /** Entropy of the current weights' next-token distributions, differentiable; needed by an entropy bonus. */
  readonly entropy?: V;
  /** 1 where the model sampled the token and it is trained, else 0. */
  readonly lossMask: V;
  /** Advantage of each token; may be [batch, 1]. */
  readonly advantages: V;
  /** Weight of each token in the loss of the whole batch, from `aggregationWeights`; may be [batch, 1]. */
  readonly tokenWeights: V;
  /** 1 where π_old is the current policy itself and the ratio is 1; absent: nowhere. */
  readonly onPolicy?: V;
  /** β as a value [1, 1], if it changes between steps; absent: the configuration's. */
  readonly klCoefficient?: V;
  /** Sums over the tokens of each conversation, broadcastable to [batch, time]; absent: a row is one conversation. */
  readonly sumBySequence?: (values: V) => V;
}

/** The parts of a configuration that determine the loss. */
export interface LossTerms {
  readonly loss: LossConfig;
  readonly kl: KlConfig;
  readonly importance: ImportanceConfig;
  /** Coefficient of the entropy bonus; 0: none. */
  readonly entropyCoefficient: number;
}

/**
 * Computes the micro-batch's share of the batch's loss:
 * Σ_tokens weight · mask · (importance · policy loss + β · KL − c · entropy).
 * Masked tokens change neither value nor gradient, whatever their numbers are, including NaN.
 * @returns one number
 */
export function policyLoss<V>(algebra: LossAlgebra<V>, given: LossInputs<V>, terms: LossTerms): V {
  const { lossMask } = given;
  const zeros = algebra.zerosLike(lossMask);
  const trained = (values: V): V => algebra.select(lossMask, values, zeros);
  const policyLogprobs = trained(given.policyLogprobs);
  const oldLogprobs = trained(ratioDenominator(algebra, given));
  const sumBySequence = given.sumBySequence ?? algebra.sumTokens;
  const inputs = { policyLogprobs, oldLogprobs, lossMask, advantages: given.advantages, sumBySequence };
  let perToken = tokenLoss(algebra, inputs, terms.loss);
  if (given.rolloutLogprobs !== undefined && terms.importance.kind !== "none") {
    const { importance } = terms;
    const rolloutLogprobs = trained(given.rolloutLogprobs);
    const weights = algebra.detached(
      (values) =>
        importanceWeights(
          algebra,
          { oldLogprobs: values, rolloutLogprobs, lossMask },
          importance,
          sumBySequence,
        ),
      oldLogprobs,
    );
    perToken = algebra.mul(perToken, weights);
  }
  if (given.refLogprobs !== undefined && terms.kl.in === "loss" && terms.kl.coefficient > 0) {
    const estimate = klEstimate(algebra, policyLogprobs, trained(given.refLogprobs), terms.kl);
    perToken = algebra.add(perToken, algebra.mul(estimate, given.klCoefficient ?? terms.kl.coefficient));
  }
  if (given.entropy !== undefined && terms.entropyCoefficient > 0)
    perToken = algebra.sub(perToken, algebra.mul(trained(given.entropy), terms.entropyCoefficient));
  return algebra.sum(algebra.mul(algebra.mul(perToken, lossMask), given.tokenWeights));
}

/** Returns π_old: the given values, and in on-policy rows the policy's own log-probs. */
function ratioDenominator<V>(algebra: LossAlgebra<V>, given: LossInputs<V>): V {
  const { onPolicy, policyLogprobs, oldLogprobs, lossMask } = given;
  if (onPolicy === undefined) return oldLogprobs;
  const everywhere = algebra.add(algebra.zerosLike(lossMask), onPolicy); // [B, T]
  const same = algebra.detached((policy) => algebra.mul(policy, 1), policyLogprobs);
  return algebra.select(everywhere, same, oldLogprobs);
}

interface TokenLossInputs<V> {
  readonly policyLogprobs: V; // [B, T], 0 where masked
  readonly oldLogprobs: V; // [B, T], 0 where masked
  readonly advantages: V; // [B, T] or [B, 1]
  readonly lossMask: V; // [B, T]
  readonly sumBySequence: (values: V) => V;
}

/** Returns the loss of each token, [batch, time], before masking and weighting. */
function tokenLoss<V>(algebra: LossAlgebra<V>, inputs: TokenLossInputs<V>, config: LossConfig): V {
  switch (config.kind) {
    case "clip":
      return clipLoss(algebra, inputs, config);
    case "gspo":
      return gspoLoss(algebra, inputs, config);
    case "cispo":
      return cispoLoss(algebra, inputs, config);
    case "dppo":
      return dppoLoss(algebra, inputs, config);
  }
}

type Config<K extends LossConfig["kind"]> = Extract<LossConfig, { kind: K }>;

/**
 * max(−Ar, −A·clip(r, 1−low, 1+high)); with dual clip c also at most −cA where A < 0.
 * Source: PPO, arXiv:1707.06347; asymmetric clip: DAPO, arXiv:2503.14476; dual clip: arXiv:1912.09729.
 */
function clipLoss<V>(algebra: LossAlgebra<V>, inputs: TokenLossInputs<V>, config: Config<"clip">): V {
  const { add, sub, mul, exp, minimum, greater } = algebra;
  const { policyLogprobs, oldLogprobs, advantages } = inputs;
  const ratio = exp(clampBoth(algebra, sub(policyLogprobs, oldLogprobs), config.clampLogRatio));
  const clipped = clippedSurrogate(algebra, ratio, advantages, config.clipLow, config.clipHigh);
  if (config.dualClip === null) return clipped;
  const negative = greater(0, advantages);
  // Where A ≥ 0 the bound must not apply; it is 1e30 and not infinity, because 0 · infinity would be NaN.
  const bound = add(mul(mul(advantages, -config.dualClip), negative), mul(sub(1, negative), 1e30));
  return minimum(clipped, bound);
}

/**
 * One ratio per conversation, s = exp(mean over its trained tokens of the log-ratio), clipped as in PPO.
 * Meant for the aggregation seq-mean-token-mean. Source: GSPO, arXiv:2507.18071.
 */
function gspoLoss<V>(algebra: LossAlgebra<V>, inputs: TokenLossInputs<V>, config: Config<"gspo">): V {
  const { sub, mul, div, exp, minimum, maximum } = algebra;
  const { policyLogprobs, oldLogprobs, advantages, lossMask, sumBySequence } = inputs;
  const logRatios = mul(sub(policyLogprobs, oldLogprobs), lossMask);
  const meanLogRatio = div(sumBySequence(logRatios), maximum(sumBySequence(lossMask), 1));
  const ratio = exp(minimum(meanLogRatio, config.maxLogRatio));
  return clippedSurrogate(algebra, ratio, advantages, config.clipLow, config.clipHigh);
}

/** −stopGradient(clip(r))·A·logp: every token keeps a gradient. Source: MiniMax-M1, arXiv:2506.13585. */
function cispoLoss<V>(algebra: LossAlgebra<V>, inputs: TokenLossInputs<V>, config: Config<"cispo">): V {
  const { sub, mul, exp } = algebra;
  const { policyLogprobs, oldLogprobs, advantages } = inputs;
  const weight = algebra.detached((policy) => {
    const ratio = exp(clampBoth(algebra, sub(policy, oldLogprobs), config.clampLogRatio));
    return clamp(algebra, ratio, 1 - config.clipLow, 1 + config.clipHigh);
  }, policyLogprobs);
  return mul(mul(mul(weight, advantages), policyLogprobs), -1);
}

/**
 * −keep·A·r + τ·(log r)²: a token is dropped if its probability has moved by more than the mask bound in the direction
 * of its advantage. As in prime-rl.
 */
function dppoLoss<V>(algebra: LossAlgebra<V>, inputs: TokenLossInputs<V>, config: Config<"dppo">): V {
  const { add, sub, mul, exp, square, greater } = algebra;
  const { policyLogprobs, oldLogprobs, advantages } = inputs;
  const keep = algebra.detached((policy) => {
    const moved = sub(exp(policy), exp(oldLogprobs)); // [B, T]
    const positive = greater(advantages, 0);
    const tooHigh = mul(greater(moved, config.maskHigh), positive);
    const tooLow = mul(greater(-config.maskLow, moved), sub(1, positive));
    return sub(1, add(tooHigh, tooLow));
  }, policyLogprobs);
  const logRatio = sub(policyLogprobs, oldLogprobs);
  const surrogate = mul(mul(keep, advantages), exp(clampBoth(algebra, logRatio, config.clampLogRatio)));
  return sub(mul(square(logRatio), config.tau), surrogate);
}

function clippedSurrogate<V>(algebra: LossAlgebra<V>, ratio: V, advantages: V, low: number, high: number): V {
  const { mul, maximum } = algebra;
  const plain = mul(mul(ratio, advantages), -1);
  return maximum(plain, mul(mul(clamp(algebra, ratio, 1 - low, 1 + high), advantages), -1));
}

function clamp<V>(algebra: LossAlgebra<V>, values: V, low: number, high: number): V {
  return algebra.minimum(algebra.maximum(values, low), high);
}
