import type { ResolvedLearnerConfig } from "./config.js";
import { LearnerError } from "./error.js";
import type { TokenStatistics } from "./metrics.js";

const RATIO_TOLERANCE = 1e-4;
const KL_TOLERANCE_NATS = 1e-7;

/**
 * What must hold while the weights are still those that sampled: sampler and trainer compute the same
 * log-probabilities, and before a learner's first step every ratio is 1 and the KL to the reference 0.
 * A mismatch here is the usual cause of a run that collapses much later.
 * @param untouched no step was applied since the learner started from weights
 * @throws {LearnerError} LOGPROB_MISMATCH, FIRST_STEP_CHECK
 */
export function checkFresh(tokens: TokenStatistics, config: ResolvedLearnerConfig, untouched: boolean): void {
  const { maxLogprobDifference, firstStepChecks, reference } = config;
  const difference = tokens.freshLogprobDifferenceMean;
  const details = { ...tokens };
  if (maxLogprobDifference !== null && difference > maxLogprobDifference)
    throw new LearnerError(
      "LOGPROB_MISMATCH",
      `sampler and trainer differ by ${difference} nats on average over ${tokens.freshTokens} fresh tokens, more than maxLogprobDifference ${maxLogprobDifference}; check that both hold the same weights`,
      { details },
    );
  if (!firstStepChecks || !untouched || tokens.freshTokens < tokens.tokens) return;
  const ratioOff = Math.max(tokens.ratioMax - 1, 1 - tokens.ratioMin);
  if (ratioOff > RATIO_TOLERANCE)
    throw new LearnerError(
      "FIRST_STEP_CHECK",
      `a ratio is off 1 by ${ratioOff} before any step; check that the sampler holds the learner's weights`,
      { details },
    );
  if (reference !== "none" && tokens.klK3 > KL_TOLERANCE_NATS)
    throw new LearnerError(
      "FIRST_STEP_CHECK",
      `KL to the reference is ${tokens.klK3} nats before any step; is the reference another model?`,
      { details },
    );
}
