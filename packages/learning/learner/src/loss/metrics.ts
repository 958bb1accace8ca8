import type { LossConfig } from "../config/loss-config.js";
import { LogHistogram } from "./log-histogram.js";

/** One trained token; logs in nats. */
export interface TokenSample {
  readonly policyLogprob: number;
  readonly rolloutLogprob: number;
  /** π_old; absent: the sampler's log-prob. */
  readonly oldLogprob?: number;
  readonly advantage: number;
  readonly refLogprob?: number;
  readonly entropy?: number;
  /** Whether it was sampled by the weights that are being trained. */
  readonly fresh?: boolean;
}

/** Means over trained tokens; 0 if nothing was added. Each is defined where it is summed. */
export interface TokenStatistics {
  /** Number of trained tokens. */
  readonly tokens: number;
  /** Mean of exp(policyLogprob − oldLogprob). */
  readonly ratioMean: number;
  /** Largest ratio. */
  readonly ratioMax: number;
  /** Smallest ratio. */
  readonly ratioMin: number;
  /** Fraction of tokens whose ratio the clip keeps from rising (A > 0). */
  readonly clipFractionHigh: number;
  /** Fraction of tokens whose ratio the clip keeps from falling (A < 0). */
  readonly clipFractionLow: number;
  /** Fraction of tokens bounded by the dual clip. */
  readonly dualClipFraction: number;
  /** Mean of oldLogprob − policyLogprob: how far the update has moved, k1. */
  readonly policyKl: number;
  /** The same KL as estimated by k3, which is never negative. */
  readonly policyKlK3: number;
  /** KL to the reference, estimated by k1. */
  readonly klK1: number;
  /** The same by k3. */
  readonly klK3: number;
  /** Exact entropy of the next-token distributions, nats. */
  readonly entropy: number;
  /** Mean of |policyLogprob − rolloutLogprob|. */
  readonly logprobDifferenceMean: number;
  /** Largest such difference. */
  readonly logprobDifferenceMax: number;
  /** The same mean over fresh tokens only, where the sampler's own numerics are the only cause of a difference. */
  readonly freshLogprobDifferenceMean: number;
  /** The difference that one fresh token of a hundred exceeds, rounded up by at most 1.1%. */
  readonly freshLogprobDifferenceP99: number;
  /** KL of the sampler's distribution from the learner's over fresh tokens, estimated by k3. */
  readonly freshKlK3: number;
  /** Tokens that the current weights sampled, before any step of the update. */
  readonly freshTokens: number;
}

/**
 * Sums token by token on the host in float64, which is exact at any batch size and costs the compiled graph nothing.
 * GSPO clips whole rows, so its clip fractions are counted on the token ratio.
 */
export function tokenStatistics(loss: LossConfig): {
  add(token: TokenSample): void;
  result(): TokenStatistics;
} {
  const { low, high, dual } = bounds(loss);
  let tokens = 0;
  let ratioSum = 0;
  let ratioMax = 0;
  let ratioMin = Number.POSITIVE_INFINITY;
  let clippedHigh = 0;
  let clippedLow = 0;
  let dualClipped = 0;
  let logRatioSum = 0;
  let policyK3 = 0;
  let k1 = 0;
  let k3 = 0;
  let entropy = 0;
  let differenceSum = 0;
  let differenceMax = 0;
  let freshDifferenceSum = 0;
  let freshK3 = 0;
  const freshDifferences = new LogHistogram();
  const mean = (sum: number) => (tokens === 0 ? 0 : sum / tokens);
  const freshMean = (sum: number) => (freshDifferences.count === 0 ? 0 : sum / freshDifferences.count);
  return {
    add(token) {
      const logRatio = token.policyLogprob - (token.oldLogprob ?? token.rolloutLogprob);
      // Where the policy itself is π_old, no exponential is taken for each of its tokens.
      const ratio = logRatio === 0 ? 1 : Math.exp(logRatio);
      tokens += 1;
      ratioSum += ratio;
      ratioMax = Math.max(ratioMax, ratio);
      ratioMin = Math.min(ratioMin, ratio);
      const heldByDual = token.advantage < 0 && ratio > dual;
      if (heldByDual) dualClipped += 1;
      if (token.advantage > 0 && ratio > high) clippedHigh += 1;
      if (token.advantage < 0 && ratio < low) clippedLow += 1;
      logRatioSum += logRatio;
      if (logRatio !== 0) policyK3 += Math.expm1(logRatio) - logRatio;
      const difference = Math.abs(token.policyLogprob - token.rolloutLogprob);
      differenceSum += difference;
      differenceMax = Math.max(differenceMax, difference);
      if (token.fresh === true) {
        freshDifferences.add(difference);
        freshDifferenceSum += difference;
        const d = token.policyLogprob - token.rolloutLogprob;
        freshK3 += Math.expm1(d) - d;
      }
      if (token.refLogprob !== undefined) {
        const d = token.refLogprob - token.policyLogprob;
        k1 -= d;
        k3 += Math.expm1(d) - d;
      }
      entropy += token.entropy ?? 0;
    },
    result: () => ({
      tokens,
      ratioMean: mean(ratioSum),
      ratioMax,
      ratioMin: tokens === 0 ? 0 : ratioMin,
      clipFractionHigh: mean(clippedHigh),
      clipFractionLow: mean(clippedLow),
      dualClipFraction: mean(dualClipped),
      policyKl: mean(-logRatioSum),
      policyKlK3: mean(policyK3),
      klK1: mean(k1),
      klK3: mean(k3),
      entropy: mean(entropy),
      logprobDifferenceMean: mean(differenceSum),
      logprobDifferenceMax: differenceMax,
      freshLogprobDifferenceMean: freshMean(freshDifferenceSum),
      freshLogprobDifferenceP99: Math.min(differenceMax, freshDifferences.exceededBy(0.01)),
      freshKlK3: freshMean(freshK3),
      freshTokens: freshDifferences.count,
    }),
  };
}

function bounds(loss: LossConfig): { readonly low: number; readonly high: number; readonly dual: number } {
  const none = Number.POSITIVE_INFINITY;
  if (loss.kind === "dppo") return { low: 0, high: none, dual: none };
  const dual = loss.kind === "clip" ? (loss.dualClip ?? none) : none;
  return { low: 1 - loss.clipLow, high: 1 + loss.clipHigh, dual };
}

/** Returns the mean and the population standard deviation. */
export function meanAndStd(values: readonly number[]): { readonly mean: number; readonly std: number } {
  if (values.length === 0) return { mean: 0, std: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, std: Math.sqrt(squares / values.length) };
}
