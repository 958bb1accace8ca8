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

/**
 * The policy of a checkpoint as a model of its own: adapters are merged into the weights.
 * @throws {LearnerError} CHECKPOINT_MISMATCH; {ModelError} CONFIG_INVALID
 */
export function trainedWeights(checkpoint: Pick<Checkpoint, "model" | "config" | "tensors">): {
  readonly model: ModelConfig;
  readonly parameters: Record<string, Float32Array>;
} {
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
  const weights = take(parameterShapes(model));
  if (!lora) return { model, parameters: weights };
  return { model, parameters: mergeLora(model, weights, take(loraShapes(model, loraForm(lora))), lora) };
}
