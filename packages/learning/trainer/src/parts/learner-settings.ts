import type { Recipe } from "../recipe/recipe-schema.js";

/**
 * Default bound on the mean difference of log-probs, nats per token. With float32 on both sides the difference stays
 * below 1e-5; with bfloat16 on one side it is near 0.005.
 */
const defaultLogprobGate = 0.05;

/**
 * Returns a recipe's settings of its learner, with a default for how far its log-probs may be from the sampler's.
 * T6: oldLogprobs "recompute" keeps the sampler's batching from affecting the weights.
 */
export function learnerSettings({ learner }: Pick<Recipe, "learner">) {
  return { maxLogprobDifference: defaultLogprobGate, ...learner };
}
