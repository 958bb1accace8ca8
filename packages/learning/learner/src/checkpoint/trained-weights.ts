import {
  type LoraConfig,
  loraConfigSchema,
  loraForm,
  loraShapes,
  type ModelConfig,
  mergeLora,
  parameterShapes,
  parseModelConfig,
} from "@palimpsest/model";
import { z } from "zod";
import { LearnerError } from "../config/error.js";
import { stateName } from "../state/state.js";
import type { Checkpoint } from "./checkpoint.js";

/** The only field of a learner's configuration that determines what its weights are. */
const adapterFieldSchema = z.object({ lora: loraConfigSchema.nullish() });

/** Returns whether the checkpoint contains adapters, without their base weights. */
export function hasAdapters(checkpoint: Pick<Checkpoint, "config">): boolean {
  return Boolean(adapterFieldSchema.parse(checkpoint.config).lora);
}

type Tensors = Readonly<Record<string, Float32Array>>;
type Shapes = Readonly<Record<string, readonly number[]>>;

function taken({ tensors }: Pick<Checkpoint, "tensors">, shapes: Shapes): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.keys(shapes).map((name) => {
      const values = tensors[stateName("weights", name)];
      if (values === undefined)
        throw new LearnerError(
          "CHECKPOINT_MISMATCH",
          `the checkpoint has no ${stateName("weights", name)}, which its model needs; give another checkpoint`,
        );
      return [name, values] as const;
    }),
  );
}

/**
 * Returns the adapters of a checkpoint by the names of `loraShapes`, without their base weights.
 * @throws {LearnerError} CHECKPOINT_MISMATCH if the whole model was trained; {ModelError} CONFIG_INVALID
 */
export function trainedAdapters(checkpoint: Pick<Checkpoint, "model" | "config" | "tensors">): {
  readonly model: ModelConfig;
  readonly lora: LoraConfig;
  readonly adapters: Tensors;
} {
  const model = parseModelConfig(checkpoint.model);
  const { lora } = adapterFieldSchema.parse(checkpoint.config);
  if (!lora)
    throw new LearnerError(
      "CHECKPOINT_MISMATCH",
      "the checkpoint contains a whole model and no adapters, because its run trained without `learner.lora`; use its weights",
    );
  return { model, lora, adapters: taken(checkpoint, loraShapes(model, loraForm(lora))) };
}

/**
 * Returns the policy of a checkpoint as a whole model: adapters are merged into the weights.
 * @param base the adapters' base weights: those that the run began with
 * @throws {LearnerError} CHECKPOINT_MISMATCH; {ModelError} CONFIG_INVALID
 */
export function trainedWeights(
  checkpoint: Pick<Checkpoint, "model" | "config" | "tensors">,
  base?: Tensors,
): { readonly model: ModelConfig; readonly parameters: Record<string, Float32Array> } {
  const model = parseModelConfig(checkpoint.model);
  if (!hasAdapters(checkpoint)) return { model, parameters: taken(checkpoint, parameterShapes(model)) };
  if (base === undefined)
    throw new LearnerError(
      "CHECKPOINT_MISMATCH",
      "the checkpoint contains only adapters; also give the weights of the base model",
    );
  const { lora, adapters } = trainedAdapters(checkpoint);
  return { model, parameters: mergeLora(model, base, adapters, lora) };
}
