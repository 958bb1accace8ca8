// For users.

// For other packages.
export { type Advantages, computeAdvantages, type EpisodeReward } from "./advantages.js";
export { aggregationWeights, type RowExtent } from "./aggregation.js";
export {
  bestCheckpoint,
  type Checkpoint,
  type CheckpointExtra,
  type JsonValue,
  latestCheckpoint,
} from "./checkpoint.js";
export type { Objective } from "./compiled.js";
export {
  Bucket,
  LearnerConfig,
  type LearnerConfigInput,
  OptimizerConfig,
  type ResolvedLearnerConfig,
  resolveLearnerConfig,
  ScheduleConfig,
} from "./config.js";
export { LearnerError, type LearnerErrorCode } from "./error.js";
export { klEstimate } from "./kl.js";
export {
  createLearner,
  type Learner,
  type LearnerOptions,
  loadCheckpoint,
  type SupervisedMetrics,
} from "./learner.js";
export { AdvantageConfig, Aggregation, KlConfig, LossConfig } from "./loss-config.js";
export { type LossInputs, policyLoss } from "./policy-loss.js";
export { PRESET_NAMES, type Preset, type PresetName, presets } from "./preset.js";
export { type RowBatch, rowsFromGroups, type TrainingRow } from "./rows.js";
export { learningRateAt } from "./schedule.js";
export type { SupervisedRow } from "./sft.js";
export type { UpdateMetrics } from "./update-metrics.js";
export { type WarmStartOptions, warmStart } from "./warm-start.js";
