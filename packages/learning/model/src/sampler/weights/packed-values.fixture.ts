import type { ModelConfig } from "../../base/config.js";
import type { HeldParameters } from "../../base/parameters.js";
import { packedWeights, type WeightLayout } from "./packed-weights.js";

/** Packed tensors by name, of parameters that are all float32. */
export function packedValues(
  config: ModelConfig,
  parameters: HeldParameters,
  layout: WeightLayout,
): (readonly [name: string, values: Float32Array])[] {
  return [...packedWeights(config, parameters, layout)].flatMap((packed) =>
    packed !== undefined && "values" in packed ? [[packed.name, packed.values] as const] : [],
  );
}
