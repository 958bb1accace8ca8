// Symbols for users.
export { z } from "zod";
// Symbols for other packages.
export { type Advantages, computeAdvantages, groupAdvantages } from "./advantages.js";
export { aggregationWeights, type RowExtent } from "./aggregation.js";
export { Bucket } from "./bucket.js";
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
} from "./checkpoint.js";
export { rateCheckpoint } from "./checkpoint-ratings.js";
export { needsSampledLogprobs } from "./chosen-config.js";
export type { Objective } from "./compiled.js";
export {
  LearnerConfig,
  type LearnerConfigInput,
  OptimizerConfig,
  type ResolvedLearnerConfig,
  resolveLearnerConfig,
  ScheduleConfig,
} from "./config.js";
export { createLearner, type LearnerOptions } from "./create-learner.js";
export { type AdvantageModule, defineAdvantage, type GroupAdvantage } from "./define-advantage.js";
export { type DeviceEstimate, estimateDevice } from "./device-estimate.js";
export { type Double, doubleAlgebra, doubleGradient, doubleMatrix } from "./double-algebra.js";
export type { EpisodeReward } from "./episode-reward.js";
export { LearnerError, type LearnerErrorCode } from "./error.js";
export { importanceWeights } from "./importance.js";
export { klEstimate } from "./kl.js";
export { type Learner, loadCheckpoint } from "./learner.js";
export { type LocalPeer, localPeers } from "./local-peers.js";
export { type LossAlgebra, tensorAlgebra } from "./loss-algebra.js";
export {
  AdvantageConfig,
  Aggregation,
  BuiltInAdvantage,
  ImportanceConfig,
  KlConfig,
  LossConfig,
  OverlongConfig,
  StepAdvantageConfig,
} from "./loss-config.js";
export { MemoryConfig } from "./memory-config.js";
export { estimateMemory, type MemoryEstimate, type SamplerMemory } from "./memory-estimate.js";
export { tokenStatistics } from "./metrics.js";
export { ADAM_SCALARS, type AdamScalars, adamwScalars, adamwStep } from "./optimizer.js";
export { type ExchangeStats, PairExchange, type Swap } from "./pair-exchange.js";
export type { Peers } from "./peers.js";
export { type LossInputs, type LossTerms, policyLoss } from "./policy-loss.js";
export { PRESET_NAMES, type Preset, type PresetName, presets } from "./preset.js";
export { type Replay, type ReplayOptions, readStepDump, replayStep } from "./replay.js";
export { rowsFromGroups } from "./rows.js";
export { learningRateAt } from "./schedule.js";
export type { SupervisedRow } from "./sft.js";
export { stepDumpFile, type WrittenDump, writeStepDump } from "./step-dumps.js";
export {
  appendStep,
  dropSteps,
  type LoggedStep,
  loggedDump,
  type StepRecord,
  stepsAfter,
} from "./step-log.js";
export type { SupervisedMetrics } from "./supervised-step.js";
export { SwapBox } from "./swap-box.js";
export { passInputs, tokenPass } from "./token-pass.js";
export { type TrainedConversation, TrainedTokens } from "./trained-tokens.js";
export { hasAdapters, trainedAdapters, trainedWeights } from "./trained-weights.js";
export { trainingFlops } from "./training-flops.js";
export type { RowBatch, TrainingRow } from "./training-row.js";
export type { UpdateMetrics } from "./update-metrics.js";
export { type WarmStartOptions, warmStart } from "./warm-start.js";
