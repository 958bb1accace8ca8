import type { ModelConfig } from "@palimpsest/model";
import type { QueueSettingsInput } from "@palimpsest/trajectories";
import * as proto from "@palimpsest/wire/protocol";
import type { CarriedModule } from "../modules/recipe-modules.js";
import type { BroughtModel } from "../parts/starting-model.js";
import { refillsOf } from "../recipe/async-settings.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { RunFolder } from "../run-folder/run-folder.js";
import { checkpointDirOf } from "../run-folder/run-paths.js";
import type { ObjectLocation } from "../weights/object-location.js";
import { weightsBytes } from "../weights/weights.js";

/** The argument with which every actor of one run is created: plain data, the same for all. */
export interface RunSpec {
  readonly runId: string;
  readonly recipe: Recipe;
  readonly model: ModelConfig;
  /** A ModelText as an object: tokenizer, chat template, stop tokens. */
  readonly text: ObjectLocation;
  /** Start time of the run, which chat templates use as the current date. */
  readonly startedAtMs: number;
  /** proto.WeightManifest of version 0. */
  readonly initialWeights: Uint8Array;
  /** Size of all initial weights. */
  readonly weightsBytes: number;
  /** Folder of the learner's checkpoints, on its machine or shared by all nodes. */
  readonly checkpointDir: string;
  readonly queues: QueueSettingsInput;
  /** The user's code that the recipe names. */
  readonly modules: readonly CarriedModule[];
}

/** Module in which nodes find the classes of learner and rollout actors. */
export const actorsModule = "@palimpsest/trainer/actors";
/**
 * Module of reward actors. Most of them compute nothing with tensors, so their processes do not load the code that
 * does.
 */
export const rewardModule = "@palimpsest/trainer/reward-actor";

/** @param recipe with its modules named by their bundles */
export function runSpec(
  recipe: Recipe,
  folder: Pick<RunFolder, "runId" | "startedAtMs" | "path">,
  { model, text, weights, modules }: BroughtModel & Pick<RunSpec, "modules">,
): RunSpec {
  return {
    runId: folder.runId,
    recipe,
    model,
    text,
    modules,
    startedAtMs: folder.startedAtMs,
    initialWeights: proto.WeightManifest.encode(weights).finish(),
    weightsBytes: weightsBytes(weights),
    checkpointDir: checkpointDirOf(folder.path),
    queues: {
      ...recipe.queues,
      // All groups of a step are dispatched before it is trained, and so are those of the steps ahead of it.
      maxOutstandingGroups: Math.max(
        recipe.queues.maxOutstandingGroups,
        recipe.train.groupsPerStep * (recipe.train.maxStaleness + 1) + refillsOf(recipe.train),
      ),
    },
  };
}
