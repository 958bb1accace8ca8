import type { ModelConfig } from "@palimpsest/model";
import type { QueueSettingsInput } from "@palimpsest/trajectories";
import type { CarriedModule } from "./modules/recipe-modules.js";
import type { Recipe } from "./recipe.js";
import type { ObjectLocation } from "./weights.js";

/** What every actor of one run is made with: plain data, the same for all. */
export interface RunSpec {
  readonly runId: string;
  readonly recipe: Recipe;
  readonly model: ModelConfig;
  /** A ModelText as an object: tokenizer, chat template, stop tokens. */
  readonly text: ObjectLocation;
  /** When the run was begun; what chat templates take for today. */
  readonly startedAtMs: number;
  /** proto.WeightManifest of version 0. */
  readonly initialWeights: Uint8Array;
  /** All of them. */
  readonly weightsBytes: number;
  /** Where the learner keeps its checkpoints: a folder on its machine, or one that all nodes share. */
  readonly checkpointDir: string;
  readonly queues: QueueSettingsInput;
  /** The user's code that the recipe names. */
  readonly modules: readonly CarriedModule[];
}

/** Module that nodes find the actors' classes in. */
export const actorsModule = "@palimpsest/trainer/actors";
