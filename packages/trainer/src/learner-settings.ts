import type { Recipe } from "./recipe/recipe-schema.js";

/** Nats per token on average; float32 on both sides stays below 1e-5, bfloat16 on one side near 0.005. */
const defaultLogprobGate = 0.05;

/**
 * A recipe's settings of its learner, and how far its log-probs may be from the sampler's where the recipe does not say it.
 * T6: oldLogprobs "recompute" keeps what the sampler batched together out of the weights.
 */
export function learnerSettings({ learner }: Pick<Recipe, "learner">) {
  return { maxLogprobDifference: defaultLogprobGate, ...learner };
}
