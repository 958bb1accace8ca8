import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import type { TokenStatistics } from "../loss/metrics.js";

const RATIO_TOLERANCE = 1e-6;
/** The sampler computes token by token with a cache, which gives the same numbers up to float32 rounding. */
const SAMPLER_TOLERANCE_NATS = 1e-4;
const KL_TOLERANCE_NATS = 1e-7;

/**
 * Standard errors of a mean of few tokens that the gate allows, in multiples of the limit. Differences of bfloat16 vary about twice
 * as much as their mean, so that this is four standard errors: steps that sample ahead compare a hundred tokens, and one of them
 * would otherwise stop a healthy run. Weights that are not the sampler's differ by many times the limit.
 */
export const FEW_TOKENS = 8;

/** Returns the mean difference in nats above which an update fails that compares this many tokens. */
export function logprobGate(limit: number, tokens: number): number {
  return limit * (1 + FEW_TOKENS / Math.sqrt(Math.max(tokens, 1)));
}

/**
 * Checks what must be true while the weights are still those that sampled: sampler and trainer compute the same
 * log-probabilities, and before a learner's first step every ratio is 1 and the KL to the reference 0.
 * A mismatch here is the usual cause of a run that collapses much later.
 * @param untouched whether no step was applied since the learner was created from weights
 * @throws {LearnerError} LOGPROB_MISMATCH, FIRST_STEP_CHECK
 */
export function checkFresh(tokens: TokenStatistics, config: ResolvedLearnerConfig, untouched: boolean): void {
  const { maxLogprobDifference = null, firstStepChecks, reference } = config;
  const difference = tokens.freshLogprobDifferenceMean;
  const details = { ...tokens };
  const gate = maxLogprobDifference === null ? null : logprobGate(maxLogprobDifference, tokens.freshTokens);
  if (gate !== null && difference > gate)
    throw new LearnerError(
      "LOGPROB_MISMATCH",
      `the log-probs of sampler and learner differ by ${difference} nats on average over ${tokens.freshTokens} tokens that the current weights sampled, more than the ${gate.toPrecision(3)} that maxLogprobDifference ${maxLogprobDifference} allows for so many; check that both have the same weights`,
      { details },
    );
  if (!firstStepChecks || !untouched || tokens.freshTokens < tokens.tokens) return;
  if (tokens.logprobDifferenceMax > SAMPLER_TOLERANCE_NATS)
    throw new LearnerError(
      "FIRST_STEP_CHECK",
      `the log-probs of sampler and learner differ by ${tokens.logprobDifferenceMax} nats at a token before the first step; check that the sampler has the learner's weights`,
      { details },
    );
  const ratioOff = Math.max(tokens.ratioMax - 1, 1 - tokens.ratioMin);
  if (config.oldLogprobs === "recompute" && ratioOff > RATIO_TOLERANCE)
    throw new LearnerError(
      "FIRST_STEP_CHECK",
      `a ratio to the learner's own log-probs differs from 1 by ${ratioOff} before the first step; this is a bug in Palimpsest`,
      { details },
    );
  if (reference !== "none" && tokens.klK3 > KL_TOLERANCE_NATS)
    throw new LearnerError(
      "FIRST_STEP_CHECK",
      `the KL to the reference is ${tokens.klK3} nats before the first step; check that the reference is the same model`,
      { details },
    );
}
