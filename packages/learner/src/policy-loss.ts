import * as tf from "@tensorflow/tfjs";
import { clampBoth, klEstimate } from "./kl.js";
import type { KlConfig, LossConfig } from "./loss-config.js";

/** Tensors of one micro-batch. Logs in nats; [batch, time] unless said otherwise. */
export interface LossInputs {
  /** float32, current weights; the one the gradient flows into. */
  readonly policyLogprobs: tf.Tensor;
  /** float32, of the weights that sampled the token. */
  readonly rolloutLogprobs: tf.Tensor;
  /** float32, of the frozen reference; needed when the KL coefficient is above 0. */
  readonly refLogprobs?: tf.Tensor;
  /** float32, 1 where the model sampled the token and it is trained, else 0. */
  readonly lossMask: tf.Tensor;
  /** float32 [batch]. */
  readonly advantages: tf.Tensor;
  /** float32 [batch], 1 where the ratio of the row's tokens is 1 by definition; absent: nowhere. */
  readonly onPolicy?: tf.Tensor;
  /** float32 [batch]: weight of each token of the row, from `aggregationWeights` over the whole batch. */
  readonly rowWeights: tf.Tensor;
}

/**
 * The micro-batch's share of the batch's loss: Σ_rows w Σ_t mask · (policy loss + β · KL).
 * Masked tokens change neither value nor gradient, whatever numbers stand there, NaN included.
 * @returns float32 []; caller disposes
 */
export function policyLoss(inputs: LossInputs, loss: LossConfig, kl: KlConfig): tf.Tensor {
  const { lossMask, rowWeights } = inputs;
  const trained = tf.greater(lossMask, 0);
  const zeros = tf.zerosLike(lossMask);
  const policyLogprobs = tf.where(trained, inputs.policyLogprobs, zeros);
  const rolloutLogprobs = tf.where(trained, denominator(inputs), zeros);
  const advantages = tf.expandDims(inputs.advantages, -1); // [B, 1]
  let perToken = tokenLoss({ policyLogprobs, rolloutLogprobs, advantages, lossMask }, loss);
  if (kl.coefficient > 0 && inputs.refLogprobs !== undefined) {
    const refLogprobs = tf.where(trained, inputs.refLogprobs, zeros);
    perToken = tf.add(perToken, tf.mul(klEstimate(policyLogprobs, refLogprobs, kl), kl.coefficient));
  }
  const perRow = tf.sum(tf.mul(perToken, lossMask), -1); // [B]
  return tf.sum(tf.mul(perRow, rowWeights));
}

/** What the ratio is taken to: the sampler's log-probabilities, or in rows on policy the policy's own. */
function denominator({ policyLogprobs, rolloutLogprobs, onPolicy }: LossInputs): tf.Tensor {
  if (onPolicy === undefined) return rolloutLogprobs;
  const own = tf.mul(tf.expandDims(onPolicy, -1), tf.onesLike(rolloutLogprobs)); // [B, T]
  const same = stopGradient((policy) => tf.clone(policy))(policyLogprobs);
  return tf.where(tf.greater(own, 0), same, rolloutLogprobs);
}

interface TokenLossInputs {
  readonly policyLogprobs: tf.Tensor; // [B, T], 0 where masked
  readonly rolloutLogprobs: tf.Tensor; // [B, T], 0 where masked
  readonly advantages: tf.Tensor; // [B, 1]
  readonly lossMask: tf.Tensor; // [B, T]
}

/** float32 [batch, time] before masking and weighting. */
function tokenLoss(inputs: TokenLossInputs, config: LossConfig): tf.Tensor {
  switch (config.kind) {
    case "clip":
      return clipLoss(inputs, config);
    case "gspo":
      return gspoLoss(inputs, config);
    case "cispo":
      return cispoLoss(inputs, config);
    case "dppo":
      return dppoLoss(inputs, config);
  }
}

/**
 * max(−Ar, −A·clip(r, 1−low, 1+high)); with dual clip c also at most −cA where A < 0.
 * Source: PPO, arXiv:1707.06347; asymmetric clip: DAPO, arXiv:2503.14476; dual clip: arXiv:1912.09729.
 */
function clipLoss(inputs: TokenLossInputs, config: Extract<LossConfig, { kind: "clip" }>): tf.Tensor {
  const { policyLogprobs, rolloutLogprobs, advantages } = inputs;
  const ratio = tf.exp(clampBoth(tf.sub(policyLogprobs, rolloutLogprobs), config.clampLogRatio));
  const clipped = clippedSurrogate(ratio, advantages, config.clipLow, config.clipHigh);
  if (config.dualClip === null) return clipped;
  const negative = tf.cast(tf.less(advantages, 0), "float32"); // [B, 1]
  // Where A ≥ 0 the bound is out of reach; 1e30 and not infinity, which times 0 would be NaN.
  const bound = tf.add(
    tf.mul(tf.mul(advantages, -config.dualClip), negative),
    tf.mul(tf.sub(1, negative), 1e30),
  );
  return tf.minimum(clipped, tf.mul(bound, tf.onesLike(clipped)));
}

/**
 * One ratio a row, s = exp(mean over its trained tokens of the log-ratio), clipped as in PPO.
 * Meant for the aggregation seq-mean-token-mean. Source: GSPO, arXiv:2507.18071.
 */
function gspoLoss(inputs: TokenLossInputs, config: Extract<LossConfig, { kind: "gspo" }>): tf.Tensor {
  const { policyLogprobs, rolloutLogprobs, advantages, lossMask } = inputs;
  const tokens = tf.maximum(tf.sum(lossMask, -1, true), 1); // [B, 1]
  const logRatios = tf.mul(tf.sub(policyLogprobs, rolloutLogprobs), lossMask);
  const meanLogRatio = tf.div(tf.sum(logRatios, -1, true), tokens);
  const ratio = tf.exp(tf.minimum(meanLogRatio, config.maxLogRatio)); // [B, 1]
  return clippedSurrogate(ratio, advantages, config.clipLow, config.clipHigh);
}

/** −stopGradient(clip(r))·A·logp: every token keeps a gradient. Source: MiniMax-M1, arXiv:2506.13585. */
function cispoLoss(inputs: TokenLossInputs, config: Extract<LossConfig, { kind: "cispo" }>): tf.Tensor {
  const { policyLogprobs, rolloutLogprobs, advantages } = inputs;
  const ratio = stopGradient((policy) =>
    clamp(
      tf.exp(clampBoth(tf.sub(policy, rolloutLogprobs), config.clampLogRatio)),
      1 - config.clipLow,
      1 + config.clipHigh,
    ),
  )(policyLogprobs);
  return tf.neg(tf.mul(tf.mul(ratio, advantages), policyLogprobs));
}

/**
 * −keep·A·r + τ·(log r)²: a token is dropped when its probability has moved by more than the mask
 * bound in the direction in which its advantage pushes. As prime-rl does it.
 */
function dppoLoss(inputs: TokenLossInputs, config: Extract<LossConfig, { kind: "dppo" }>): tf.Tensor {
  const { policyLogprobs, rolloutLogprobs, advantages } = inputs;
  const keep = stopGradient((policy) => {
    const moved = tf.sub(tf.exp(policy), tf.exp(rolloutLogprobs)); // [B, T]
    const positive = tf.cast(tf.greater(advantages, 0), "float32"); // [B, 1]
    const tooHigh = tf.mul(tf.cast(tf.greater(moved, config.maskHigh), "float32"), positive);
    const tooLow = tf.mul(tf.cast(tf.less(moved, -config.maskLow), "float32"), tf.sub(1, positive));
    return tf.sub(1, tf.add(tooHigh, tooLow));
  })(policyLogprobs);
  const logRatio = tf.sub(policyLogprobs, rolloutLogprobs);
  const surrogate = tf.mul(tf.mul(keep, advantages), tf.exp(clampBoth(logRatio, config.clampLogRatio)));
  return tf.sub(tf.mul(tf.square(logRatio), config.tau), surrogate);
}

function clippedSurrogate(ratio: tf.Tensor, advantages: tf.Tensor, low: number, high: number): tf.Tensor {
  const plain = tf.neg(tf.mul(ratio, advantages));
  return tf.maximum(plain, tf.neg(tf.mul(clamp(ratio, 1 - low, 1 + high), advantages)));
}

function clamp(values: tf.Tensor, low: number, high: number): tf.Tensor {
  return tf.minimum(tf.maximum(values, low), high);
}

/** f with no gradient through it. */
function stopGradient(f: (x: tf.Tensor) => tf.Tensor): (x: tf.Tensor) => tf.Tensor {
  return tf.customGrad((x) => ({
    value: f(x as tf.Tensor),
    gradFunc: (dy: tf.Tensor) => tf.zerosLike(dy),
  })) as (x: tf.Tensor) => tf.Tensor;
}
