// Symbols for users.
export { z } from "zod";
// Symbols for other packages.
export { type Advantages, computeAdvantages, groupAdvantages } from "./advantages.js";
export { aggregationWeights } from "./aggregation.js";
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
export { takesSampledRatios } from "./chosen-config.js";
export {
  LearnerConfig,
  type LearnerConfigInput,
  OptimizerConfig,
  type ResolvedLearnerConfig,
  resolveLearnerConfig,
} from "./config.js";
export { createLearner } from "./create-learner.js";
export { type AdvantageModule, defineAdvantage } from "./define-advantage.js";
export { type DeviceEstimate, estimateDevice } from "./device-estimate.js";
export { doubleAlgebra, doubleGradient, doubleMatrix } from "./double-algebra.js";
export { type DurableFiles, durableFiles } from "./durable-files.js";
export { LearnerError } from "./error.js";
export { klEstimate } from "./kl.js";
export { type Learner, loadCheckpoint } from "./learner.js";
export { localPeers } from "./local-peers.js";
export { type LossAlgebra, tensorAlgebra } from "./loss-algebra.js";
export {
  Aggregation,
  BuiltInAdvantage,
  KlConfig,
  LossConfig,
} from "./loss-config.js";
export { MemoryConfig } from "./memory-config.js";
export { estimateMemory, type MemoryEstimate } from "./memory-estimate.js";
export { tokenStatistics } from "./metrics.js";
export { ADAM_SCALARS, type AdamScalars, adamwScalars, adamwStep } from "./optimizer.js";
export { type ExchangeStats, PairExchange } from "./pair-exchange.js";
export type { Peers } from "./peers.js";
export { type LossTerms, policyLoss } from "./policy-loss.js";
export { PRESET_NAMES, type PresetName, presets } from "./preset.js";
export { type Replay, readStepDump, replayStep } from "./replay.js";
export { rowsFromGroups } from "./rows.js";
export type { SupervisedRow } from "./sft.js";
export { stepDumpFile, type WrittenDump, writeStepDump } from "./step-dumps.js";
export {
  appendStep,
  dropSteps,
  loggedDump,
  type StepRecord,
  stepsAfter,
} from "./step-log.js";
export { SwapBox } from "./swap-box.js";
export { passInputs, tokenPass } from "./token-pass.js";
export { TrainedTokens } from "./trained-tokens.js";
export { hasAdapters, trainedAdapters, trainedWeights } from "./trained-weights.js";
export { trainingFlops } from "./training-flops.js";
export type { UpdateMetrics } from "./update-metrics.js";
export { warmStart } from "./warm-start.js";
