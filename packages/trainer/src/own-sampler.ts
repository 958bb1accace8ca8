import type { Backend } from "@palimpsest/jit";
import { resolveLearnerConfig, takesSampledRatios } from "@palimpsest/learner";
import { createSampler, type ModelConfig, type ModelSampler } from "@palimpsest/model";
import type * as proto from "@palimpsest/wire/protocol";
import type { Recipe } from "./recipe/recipe-schema.js";
import type { Parameters } from "./weights/weights.js";

/** Weights and what names them. */
export interface NamedPolicy {
  readonly manifest: proto.WeightManifest;
  readonly parameters: Parameters;
}

/** Weights apart from what was trained over them. */
export interface LayeredPolicy extends NamedPolicy {
  /** Over the parameters, where the policy is adapters that were trained. */
  readonly adapters: Parameters | undefined;
}

/** The policy as a sampler in this process, with the recipe's bounds. */
export async function ownSampler(
  backend: Backend,
  config: ModelConfig,
  recipe: Pick<Recipe, "rollout" | "learner">,
  { manifest, parameters, adapters }: LayeredPolicy,
): Promise<ModelSampler> {
  const { policyVersion, weightsHash } = manifest;
  const sampler = createSampler({
    backend,
    config,
    parameters,
    policyVersion,
    weightsHash,
    lora: recipe.learner.lora ?? undefined,
    ...samplerSettings(recipe),
  });
  if (adapters !== undefined) await sampler.setAdapters(adapters, policyVersion, weightsHash);
  return sampler;
}

/** The sampler's settings of a recipe: the same on rollout actors and in one process. */
export function samplerSettings({ rollout, learner }: Pick<Recipe, "rollout" | "learner">) {
  const { cacheTokens, prefillTokens, stepsPerCall } = rollout;
  return {
    maxBatch: rollout.maxBatch,
    maxLength: rollout.maxTokens,
    prefixCache: rollout.prefixCache,
    batchInvariant: rollout.batchInvariant,
    lanes: rollout.lanes,
    precision: samplerPrecision(rollout.precision, learner),
    // Conversations of a run are sampled in batches, weights change at every step, and another copy of them is in no plan.
    singleWeights: "off" as const,
    ...(stepsPerCall === undefined ? {} : { stepsPerCall }),
    ...(cacheTokens === undefined ? {} : { cacheTokens }),
    ...(prefillTokens === undefined ? {} : { prefillTokens }),
  };
}

/** Where the sampler's numbers stand in the learner's ratio, both round alike, and to float32 unless it is said. */
function samplerPrecision(wanted: Recipe["rollout"]["precision"], learner: Recipe["learner"]) {
  if (wanted !== "auto" || !takesSampledRatios(resolveLearnerConfig(learner))) return wanted;
  return "float32";
}

/**
 * The threads of a backend for a recipe's sampler: lanes have their own, so that none waits for another within an operation of a
 * tenth of a millisecond.
 */
export function samplerThreads({ threads, lanes }: Pick<Recipe["rollout"], "threads" | "lanes">) {
  if (lanes === 1) return { threads };
  return { threads: Math.max(1, Math.floor(threads / lanes)), operationsAtOnce: threads };
}
