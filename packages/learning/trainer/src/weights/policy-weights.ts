import {
  type HeldParameters,
  type LoraConfig,
  loraConfigSchema,
  type ModelConfig,
  mergeLora,
} from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { fetchFloats, fetchWeights, type ObjectAccess, type Parameters } from "./weights.js";

/** The base weights of adapters. */
export interface BaseWeights {
  readonly weightsHash: string;
  /** Returns a copy that the caller may change, in the given arrays if they have the right size. */
  readonly parameters: (into?: HeldParameters) => Promise<Parameters>;
}

/** Returns a manifest's entry for adapters over these weights. */
export function adaptersOf(
  { rank, alpha, targets }: LoraConfig,
  baseWeightsHash: string,
): proto.WeightAdapters.$Properties {
  return { baseWeightsHash, rank, alpha, targets: targets === "all-linear" ? [targets] : [...targets] };
}

/**
 * Loads only the adapters of a manifest, verified by their hash (T5).
 * @throws {PalimpsestError} OBJECT_LOST; CODEC, also if they belong to another base
 */
export async function fetchAdapters(
  objects: Pick<ObjectAccess, "getInto">,
  manifest: proto.WeightManifest.$Properties,
  base: Pick<BaseWeights, "weightsHash">,
): Promise<Parameters> {
  const { adapters } = manifest;
  if (adapters?.baseWeightsHash !== base.weightsHash) {
    throw new PalimpsestError(
      "CODEC",
      `weights version ${manifest.policyVersion} are adapters for the base ${adapters?.baseWeightsHash}, but the run's base is ${base.weightsHash}, so they are not loaded; restore the run's initial model, or start another run`,
    );
  }
  return await fetchFloats(objects, manifest);
}

/**
 * Loads the full weights of a manifest's policy: its own, or adapters merged into the base. Both are
 * verified by their hashes (T5).
 * @param into arrays that are reused if they have the right size, which is faster than allocating new ones
 * @throws {PalimpsestError} OBJECT_LOST, CODEC
 */
export async function fetchPolicy(
  objects: Pick<ObjectAccess, "getInto">,
  manifest: proto.WeightManifest.$Properties,
  model: ModelConfig,
  base: BaseWeights,
  into: HeldParameters = {},
): Promise<HeldParameters> {
  const { adapters } = manifest;
  if (!adapters) return await fetchWeights(objects, manifest, into);
  const own = await fetchAdapters(objects, manifest, base);
  const { rank, alpha, targets } = adapters;
  const lora = loraConfigSchema.parse({
    rank,
    alpha,
    targets: targets?.[0] === "all-linear" ? "all-linear" : targets,
  });
  return mergeLora(model, await base.parameters(into), own, lora, { inPlace: true });
}
