import type { Backend } from "@palimpsest/jit";
import { createSampler, type ModelConfig, type ModelSampler } from "@palimpsest/model";
import type * as proto from "@palimpsest/wire/protocol";
import type { Recipe } from "./recipe.js";
import type { Parameters } from "./weights.js";

/** Weights and what names them. */
export interface NamedPolicy {
  readonly manifest: proto.WeightManifest;
  readonly parameters: Parameters;
}

/** The policy as a sampler in this process, with the recipe's bounds. */
export function ownSampler(
  backend: Backend,
  config: ModelConfig,
  { rollout }: Pick<Recipe, "rollout">,
  { manifest, parameters }: NamedPolicy,
): ModelSampler {
  return createSampler({
    backend,
    config,
    parameters,
    policyVersion: manifest.policyVersion,
    weightsHash: manifest.weightsHash,
    ...samplerSettings(rollout),
  });
}

/** The sampler's settings of a recipe: the same on rollout actors and in one process. */
export function samplerSettings(rollout: Recipe["rollout"]) {
  const { cacheTokens, prefillTokens } = rollout;
  return {
    maxBatch: rollout.maxBatch,
    maxLength: rollout.maxTokens,
    prefixCache: rollout.prefixCache,
    batchInvariant: rollout.batchInvariant,
    precision: rollout.precision,
    ...(cacheTokens === undefined ? {} : { cacheTokens }),
    ...(prefillTokens === undefined ? {} : { prefillTokens }),
  };
}
