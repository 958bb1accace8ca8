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

/** Number of updates over which the gate takes the mean: texts of one step may be harder to agree on than those of others. */
export const GATE_UPDATES = 8;

/** An update alone fails if it exceeds the gate of that many times the limit, however well the updates before it agreed. */
export const ALONE_TIMES = 3;

/** How far apart sampler and learner were on an update's fresh tokens: their number, and the mean difference in nats. */
export interface FreshDifference {
  readonly tokens: number;
  readonly mean: number;
}

/** The differences of the updates before the current one that the gate counts with it. A resumed run begins without any. */
export class EarlierDifferences {
  #updates: readonly FreshDifference[] = [];

  get updates(): readonly FreshDifference[] {
    return this.#updates;
  }

  add({ freshTokens, freshLogprobDifferenceMean }: TokenStatistics): void {
    if (freshTokens === 0) return;
    const added = { tokens: freshTokens, mean: freshLogprobDifferenceMean };
    this.#updates = [...this.#updates, added].slice(1 - GATE_UPDATES);
  }
}

/** Returns the mean difference in nats above which an update fails that compares this many tokens. */
export function logprobGate(limit: number, tokens: number): number {
  return limit * (1 + FEW_TOKENS / Math.sqrt(Math.max(tokens, 1)));
}

/**
 * Checks what must be true while the weights are still those that sampled: sampler and trainer compute the same
 * log-probabilities, and before a learner's first step every ratio is 1 and the KL to the reference 0.
 * A mismatch here is the usual cause of a run that collapses much later.
 * Each earlier update counts with at most as many tokens as this one has: where rollouts run ahead, an update of many fresh tokens
 * is followed by updates of few, whose difference it would hide.
 * @param earlier   the updates with which this one is judged
 * @param untouched whether no step was applied since the learner was created from weights
 * @throws {LearnerError} LOGPROB_MISMATCH, FIRST_STEP_CHECK
 */
export function checkFresh(
  tokens: TokenStatistics,
  config: ResolvedLearnerConfig,
  earlier: EarlierDifferences,
  untouched: boolean,
): void {
  const { maxLogprobDifference = null, firstStepChecks, reference } = config;
  const details = { ...tokens };
  if (maxLogprobDifference !== null && tokens.freshTokens > 0)
    checkDifference(tokens, maxLogprobDifference, earlier.updates);
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

/** @throws {LearnerError} LOGPROB_MISMATCH */
function checkDifference(all: TokenStatistics, limit: number, earlier: readonly FreshDifference[]): void {
  const own = { tokens: all.freshTokens, mean: all.freshLogprobDifferenceMean };
  const counted = [...earlier, own].map(({ tokens, mean }) => ({
    tokens: Math.min(tokens, own.tokens),
    mean,
  }));
  const compared = counted.reduce((sum, { tokens }) => sum + tokens, 0);
  const difference = counted.reduce((sum, { tokens, mean }) => sum + tokens * mean, 0) / compared;
  const gate = logprobGate(limit, compared);
  const alone = logprobGate(ALONE_TIMES * limit, own.tokens);
  if (difference <= gate && own.mean <= alone) return;
  const over =
    difference > gate
      ? `${difference} nats on average over ${compared} tokens of the last ${counted.length} updates (by ${own.mean} in this one) that the current weights sampled, more than the ${gate.toPrecision(3)}`
      : `${own.mean} nats on average over the ${own.tokens} tokens of this update that the current weights sampled, more than the ${alone.toPrecision(3)}`;
  throw new LearnerError(
    "LOGPROB_MISMATCH",
    `the log-probs of sampler and learner differ by ${over} that maxLogprobDifference ${limit} allows for so many; check that both have the same weights`,
    { details: { ...all } },
  );
}
