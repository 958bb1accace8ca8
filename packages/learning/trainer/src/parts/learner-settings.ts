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

/** The part of a recipe that says what its samplers keep of whole weights. */
interface Published {
  readonly rollout: {
    readonly precision?: string | undefined;
    readonly engine?: { readonly weightsType?: string | undefined } | undefined;
  };
  readonly learner: { readonly lora?: unknown };
}

/**
 * Returns the type in which whole weights travel to the samplers: bfloat16 where all of them keep matrices so, which is half of the
 * bytes. With precision auto each machine chooses; engines say which type they read; adapters are small.
 */
export function publishedType({ rollout, learner }: Published): "float32" | "bfloat16" {
  // A run from before the setting had float32.
  const { engine, precision } = rollout;
  const isHalf = (engine === undefined ? precision : engine.weightsType) === "bfloat16";
  return isHalf && (learner.lora ?? null) === null ? "bfloat16" : "float32";
}

/** The most threads that exchange gradients: each has a connection to every other learner. */
const mostExchangeThreads = 8;

/** Returns how many threads of a learner exchange gradients: the compute threads idle meanwhile, but for one that reads and writes the device. */
export function exchangeThreads(learnerThreads: number): number {
  return Math.max(1, Math.min(mostExchangeThreads, learnerThreads - 1));
}
