import { engineCount } from "../recipe/engine-settings.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { StepReport } from "../records/event.js";

/** The difference between two computations of the same log-probs, nats per token. */
export interface LogprobDifference {
  /** Mean over all tokens of the run. */
  readonly mean: number;
  /** Largest difference of a single token. */
  readonly most: number;
}

type Updated = {
  readonly update: Pick<
    StepReport["update"],
    "freshTokens" | "freshLogprobDifferenceMean" | "logprobDifferenceMax"
  >;
};

export function logprobDifference(steps: readonly Updated[]): LogprobDifference {
  let tokens = 0;
  let sum = 0;
  let most = 0;
  for (const { update } of steps) {
    tokens += update.freshTokens;
    sum += update.freshTokens * update.freshLogprobDifferenceMean;
    most = Math.max(most, update.logprobDifferenceMax);
  }
  return { mean: tokens === 0 ? 0 : sum / tokens, most };
}

/** Facts about a run's engines for its report; empty if it had none. */
export function engineFacts({ rollout }: Recipe, steps: readonly Updated[]): Record<string, string> {
  const { engine } = rollout;
  if (engine === undefined) return {};
  const { mean, most } = logprobDifference(steps);
  return {
    engines: `${engineCount(engine)} of kind ${engine.kind}`,
    "log-probs of engine and learner": `${mean.toExponential(1)} nats per token apart on average, ${most.toExponential(1)} at most`,
  };
}
