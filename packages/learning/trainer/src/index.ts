// Symbols for users.

export { exportSampler } from "./actors/sampler-metrics.js";
export {
  type SupervisedOptions,
  type SupervisedResult,
  superviseModel,
} from "./demonstrations/supervised-start.js";
export { type AskTeacherOptions, askTeacher } from "./demonstrations/teacher.js";
export type { EnginePlan } from "./engines/engine-plan.js";
export { carriedRecipe } from "./modules/carried-recipe.js";
export { openRecipeModules } from "./modules/recipe-modules.js";
export { agentEmbedder, type OpenedEmbedder, openEmbedder } from "./parts/open-embedder.js";
export { type HeldFigure, heldText } from "./plan/held-plan.js";
export { type RateRecipeOptions, rateRecipe } from "./rates/rate-recipe.js";
export { readBaseRecipe } from "./recipe/base-recipe-file.js";
export {
  type DemonstrationSettings,
  demonstrationSettingsSchema,
} from "./recipe/demonstration-settings.js";
export { builtinRecipesDir, type ModelCache } from "./recipe/model-source.js";
// Symbols for other packages.
export { withPromptFiles } from "./recipe/prompt-files.js";
export { namingRecipe, parseRecipe, readRecipe } from "./recipe/recipe.js";
export { type Recipe, recipeSchema } from "./recipe/recipe-schema.js";
export { reseededSource } from "./recipe/task-source.js";
export { parseYaml, readYamlFile } from "./recipe/yaml-text.js";
export type { Phase, QueueDepth, StepReport, TrainEvent, TrainListener } from "./records/event.js";
export type { EvaluationReport } from "./records/training-evaluations.js";
export { conversationNames, planRun, type RunGpus, type RunPlan, recipeForGpus } from "./run/dry-run.js";
export type { ProcessRow } from "./run/processes.js";
export { type ReplayedStep, replayRunStep } from "./run/replay-run.js";
export { type LengthRow, type RunReport, reportRun } from "./run/report-run.js";
export { type TrainOptions, type TrainResult, train } from "./run/train.js";
export {
  type InProcessOptions,
  type InProcessPolicy,
  type InProcessResult,
  type InProcessStep,
  trainInProcess,
} from "./run/train-in-process.js";
export { type CheckpointChoice, checkpointsOfRun } from "./run-folder/run-checkpoints.js";
export { runFolderName } from "./run-folder/run-folder.js";
export {
  agentModuleOfRun,
  agentOfRun,
  holdsRunModel,
  type RunModel,
  type RunModelOptions,
  readRunAdapters,
  readRunModel,
} from "./run-folder/run-model.js";
export { mlflowAuthorization } from "./trackers/mlflow-client.js";
