import {
  loraConfigSchema,
  loraForm,
  loraShapes,
  type ModelConfig,
  mergeLora,
  parameterShapes,
  parseModelConfig,
} from "@palimpsest/model";
import { z } from "zod";
import type { Checkpoint } from "./checkpoint.js";
import { LearnerError } from "./error.js";
import { stateName } from "./state.js";

/** The one field of a learner's configuration that says what its weights are. */
const adapterFieldSchema = z.object({ lora: loraConfigSchema.nullish() });

/** Whether the checkpoint holds adapters, without the weights that they belong to. */
export function hasAdapters(checkpoint: Pick<Checkpoint, "config">): boolean {
  return Boolean(adapterFieldSchema.parse(checkpoint.config).lora);
}

/**
 * The policy of a checkpoint as a model of its own: adapters are merged into the weights.
 * @param base the weights that adapters belong to: those that the run began with
 * @throws {LearnerError} CHECKPOINT_MISMATCH; {ModelError} CONFIG_INVALID
 */
export function trainedWeights(
  checkpoint: Pick<Checkpoint, "model" | "config" | "tensors">,
  base?: Readonly<Record<string, Float32Array>>,
): { readonly model: ModelConfig; readonly parameters: Record<string, Float32Array> } {
  const model = parseModelConfig(checkpoint.model);
  const { lora } = adapterFieldSchema.parse(checkpoint.config);
  const take = (shapes: Readonly<Record<string, readonly number[]>>) =>
    Object.fromEntries(
      Object.keys(shapes).map((name) => {
        const values = checkpoint.tensors[stateName("weights", name)];
        if (values === undefined)
          throw new LearnerError(
            "CHECKPOINT_MISMATCH",
            `the checkpoint has no ${stateName("weights", name)}, which its model needs; give another checkpoint`,
          );
        return [name, values] as const;
      }),
    );
  if (!lora) return { model, parameters: take(parameterShapes(model)) };
  if (base === undefined)
    throw new LearnerError(
      "CHECKPOINT_MISMATCH",
      "the checkpoint holds adapters alone; give the weights that they belong to as well",
    );
  return { model, parameters: mergeLora(model, base, take(loraShapes(model, loraForm(lora))), lora) };
}
