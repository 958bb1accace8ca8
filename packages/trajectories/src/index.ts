// For users: the records, which the memory package owns.
export {
  type Column,
  type ColumnLength,
  type Conversation,
  type ConversationHead,
  type ConversationKind,
  type Group,
  isPlain,
  isTruncated,
  type LocomoCategory,
  locomoCategories,
  type MemoryRecord,
  type MemoryStep,
  type MemoryType,
  memoryTypes,
  type Probe,
  plainSampling,
  type Sampling,
  type Score,
  type ScoredTrajectory,
  type StopReason,
  type StoreDiff,
  type Task,
  type Trajectory,
  type TrajectoryHead,
  type VersionRun,
} from "@palimpsest/memory/records";

// For the learning packages, which do not import wire: how to reach a Redis that a head runs under TLS.
export { redisTlsOptions } from "@palimpsest/wire";
// For other packages: the codec and the queues.
export type { EpisodeFailure, FailureStage } from "./episode-failure.js";
export type { DropReason, RejectReason } from "./group-assembly.js";
export type { DroppedGroup, GroupBatch, GroupConsumerOptions, NextGroupsRequest } from "./group-batch.js";
export type { GroupConsumer } from "./group-consumer.js";
export type { DispatchOptions, DispatchOutcome } from "./group-producer.js";
export { type Episode, episodeSeed, type GroupRequest, trajectoryIdOf } from "./group-spec.js";
export type { CloseOptions, JobConsumer } from "./job-consumer.js";
export type { GroupState, LedgerStore, RunCounts } from "./ledger-store.js";
export { exportQueueDepths, type QueueDepth, queueDepths } from "./queue-depths.js";
export { type QueueSettings, type QueueSettingsInput, queueSettingsSchema } from "./queue-settings.js";
export type { RewardOptions } from "./reward-work.js";
export type { RolloutOptions } from "./rollout-work.js";
export { RunQueues, type RunQueuesOptions, type RunSummary } from "./run-queues.js";
export { decodeScore, type EncodeScoreOptions, encodeScore } from "./score-codec.js";
export { decodeStepDump, encodeStepDump, type StepDump } from "./step-dump.js";
export { decodeTask, encodeTask } from "./task-codec.js";
export { decodeTrajectory, decodeTrajectoryHead, encodeTrajectory } from "./trajectory-codec.js";
export type { WeightsListener, WeightsSubscription } from "./weight-announcements.js";
