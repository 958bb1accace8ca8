import type { Backend } from "@palimpsest/jit";
import { needsSampledLogprobs, resolveLearnerConfig } from "@palimpsest/learner";
import {
  createSampler,
  type EngineRequest,
  type HeldParameters,
  type ModelConfig,
  type ModelSampler,
  samplerConfigSchema,
  speculationNeed,
} from "@palimpsest/model";
import type * as proto from "@palimpsest/wire/protocol";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { Parameters } from "../weights/weights.js";

/** Weights with their version and hash. */
export interface NamedPolicy {
  readonly manifest: proto.WeightManifest;
  readonly parameters: HeldParameters;
}

/** Base weights, separate from what was trained over them. */
export interface LayeredPolicy extends NamedPolicy {
  /** Adapters over the parameters, if the policy was trained as adapters. */
  readonly adapters: Parameters | undefined;
}

/** What a recipe says of its samplers. */
type SamplerRecipe = Pick<Recipe, "rollout" | "learner"> & {
  readonly train: Pick<Recipe["train"], "maxStaleness">;
};

/** Creates a sampler for the policy in this process, with the recipe's bounds. */
export async function ownSampler(
  backend: Backend,
  config: ModelConfig,
  recipe: SamplerRecipe,
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

/** Returns the sampler settings of a recipe: the same on rollout actors and in one process. */
export function samplerSettings({ rollout, learner, train }: SamplerRecipe) {
  const { cacheTokens, prefillTokens, stepsPerCall, speculate } = rollout;
  return {
    maxBatch: rollout.maxBatch,
    maxLength: rollout.maxTokens,
    prefixCache: rollout.prefixCache,
    weightUpdates: rollout.weightUpdates ?? (train.maxStaleness > 0 ? "in-flight" : "drained"),
    batchInvariant: rollout.batchInvariant,
    lanes: rollout.lanes,
    precision: samplerPrecision(rollout.precision, learner),
    // A run samples conversations in batches and changes weights at every step, and its plan has no room for another
    // copy of them.
    singleWeights: "off" as const,
    ...(stepsPerCall === undefined ? {} : { stepsPerCall }),
    ...(speculate === undefined ? {} : { speculate }),
    ...(cacheTokens === undefined ? {} : { cacheTokens }),
    ...(prefillTokens === undefined ? {} : { prefillTokens }),
  };
}

/** @returns why the sampler of a rollout actor would refuse `rollout.speculate`, with a fix; empty if it would not */
export function speculationProblems(recipe: SamplerRecipe, config: ModelConfig): string[] {
  const { speculate, gpus } = recipe.rollout;
  if (speculate !== true) return [];
  const needWith = (changed: Partial<Recipe["rollout"]>) => {
    const limits = samplerConfigSchema.parse(
      samplerSettings({ ...recipe, rollout: { ...recipe.rollout, ...changed } }),
    );
    const precision: EngineRequest["precision"] = limits.precision === "bfloat16" ? "bfloat16" : "float32";
    const backend = { name: "tensorflow", gpu: gpus > 0 } as const;
    return speculationNeed({ backend, mode: "auto", precision, config, limits });
  };
  const need = needWith({});
  if (need === undefined) return [];
  const fixes = [{ precision: "bfloat16" }, { batchInvariant: false }] as const;
  const allowing = fixes
    .filter((fix) => needWith(fix) === undefined)
    .flatMap((fix) => Object.entries(fix).map(([field, value]) => `set rollout.${field} to ${value}, or `));
  return [`rollout.speculate: is true, which needs ${need}; ${allowing.join("")}leave it out`];
}

/**
 * Returns the sampler's precision. Where the learner's ratio or checks use the sampler's log-probs, both round alike: to
 * float32 unless configured otherwise.
 */
function samplerPrecision(wanted: Recipe["rollout"]["precision"], learner: Recipe["learner"]) {
  if (wanted !== "auto" || !needsSampledLogprobs(resolveLearnerConfig(learner))) return wanted;
  return "float32";
}

/**
 * Returns the backend's threads for a recipe's sampler: each lane has its own, so that none waits for another within an
 * operation of a tenth of a millisecond.
 */
export function samplerThreads({ threads, lanes }: Pick<Recipe["rollout"], "threads" | "lanes">) {
  if (lanes === 1) return { threads };
  return { threads: Math.max(1, Math.floor(threads / lanes)), operationsAtOnce: threads };
}
