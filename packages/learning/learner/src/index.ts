// Symbols for users.
export { z } from "zod";
export {
  bestCheckpoint,
  type Checkpoint,
  type CheckpointExtra,
  checkpointBefore,
  type JsonValue,
  type ListedCheckpoint,
  latestCheckpoint,
  listCheckpoints,
  oldestOfLast,
  readCheckpointExtra,
  writeCheckpoint,
} from "./checkpoint/checkpoint.js";
export { rateCheckpoint } from "./checkpoint/checkpoint-ratings.js";
export { needsSampledLogprobs } from "./checkpoint/chosen-config.js";
export { stepDumpFile, type WrittenDump, writeStepDump } from "./checkpoint/step-dumps.js";
export {
  appendStep,
  dropSteps,
  type LoggedStep,
  loggedDump,
  type StepRecord,
  stepsAfter,
} from "./checkpoint/step-log.js";
export { hasAdapters, trainedAdapters, trainedWeights } from "./checkpoint/trained-weights.js";
export { Bucket, hasRoomFor, placesOf, trainedTokensOf } from "./config/bucket.js";
export {
  LearnerConfig,
  type LearnerConfigInput,
  OptimizerConfig,
  type ResolvedLearnerConfig,
  resolveLearnerConfig,
  ScheduleConfig,
} from "./config/config.js";
export { LearnerError, type LearnerErrorCode } from "./config/error.js";
export {
  AdvantageConfig,
  Aggregation,
  BuiltInAdvantage,
  ImportanceConfig,
  KlConfig,
  LossConfig,
  OverlongConfig,
  StepAdvantageConfig,
} from "./config/loss-config.js";
export { MemoryConfig } from "./config/memory-config.js";
export { PRESET_NAMES, type Preset, type PresetName, presets } from "./config/preset.js";
export * from "./exchange.js";
export { createLearner, type LearnerOptions } from "./learner/create-learner.js";
export { type Learner, loadCheckpoint, type PublishedTensor } from "./learner/learner.js";
export { type Replay, type ReplayOptions, readStepDump, replayStep } from "./learner/replay.js";
export { type WarmStartOptions, warmStart } from "./learner/warm-start.js";
// Symbols for other packages.
export { type Advantages, computeAdvantages, groupAdvantages } from "./loss/advantages.js";
export { aggregationWeights, type RowExtent } from "./loss/aggregation.js";
export { type AdvantageModule, defineAdvantage, type GroupAdvantage } from "./loss/define-advantage.js";
export { type Double, doubleAlgebra, doubleGradient, doubleMatrix } from "./loss/double-algebra.js";
export type { EpisodeReward } from "./loss/episode-reward.js";
export { importanceWeights } from "./loss/importance.js";
export { klEstimate } from "./loss/kl.js";
export { type LossAlgebra, tensorAlgebra } from "./loss/loss-algebra.js";
export { tokenStatistics } from "./loss/metrics.js";
export { type LossInputs, type LossTerms, policyLoss } from "./loss/policy-loss.js";
export { type DeviceEstimate, estimateDevice } from "./memory/device-estimate.js";
export { estimateMemory, type MemoryEstimate, type SamplerMemory } from "./memory/memory-estimate.js";
export {
  type PlannedPass,
  type PlannedPasses,
  type PlannedRow,
  plannedPasses,
} from "./rows/planned-passes.js";
export { rowsFromGroups } from "./rows/rows.js";
export type { SupervisedRow } from "./rows/sft.js";
export type { RowBatch, TrainingRow } from "./rows/training-row.js";
export { ADAM_SCALARS, type AdamScalars, adamwScalars, adamwStep } from "./state/optimizer.js";
export { exchangeHostBytes, gradientBytes } from "./state/passed-gradients.js";
export { learningRateAt } from "./state/schedule.js";
export { passInputs, tokenPass } from "./state/token-pass.js";
export { trainingFlops } from "./state/training-flops.js";
export type { Objective } from "./step/compiled.js";
export type { SupervisedMetrics } from "./step/supervised-step.js";
export { type TrainedConversation, TrainedTokens } from "./step/trained-tokens.js";
export type { UpdateMetrics } from "./step/update-metrics.js";
