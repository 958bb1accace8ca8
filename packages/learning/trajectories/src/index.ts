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
export type { EpisodeFailure, FailureStage } from "./base/episode-failure.js";
export { type Episode, episodeSeed, type GroupRequest, trajectoryIdOf } from "./base/group-spec.js";
export { type QueueSettings, type QueueSettingsInput, queueSettingsSchema } from "./base/queue-settings.js";
export { decodeScore, type EncodeScoreOptions, encodeScore } from "./codec/score-codec.js";
export { decodeStepDump, encodeStepDump, type StepDump } from "./codec/step-dump.js";
export { decodeTask, encodeTask } from "./codec/task-codec.js";
export { decodeTrajectory, decodeTrajectoryHead, encodeTrajectory } from "./codec/trajectory-codec.js";
export type { DropReason, RejectReason } from "./groups/group-assembly.js";
export type {
  DroppedGroup,
  GroupBatch,
  GroupConsumerOptions,
  NextGroupsRequest,
} from "./groups/group-batch.js";
export type { GroupConsumer } from "./groups/group-consumer.js";
export type { DispatchOptions, DispatchOutcome } from "./groups/group-producer.js";
export type { CloseOptions, JobConsumer } from "./jobs/job-consumer.js";
export { type QueueDepth, queueDepths } from "./run/queue-depths.js";
export { RunQueues, type RunQueuesOptions, type RunSummary } from "./run/run-queues.js";
export type { WeightsListener, WeightsSubscription } from "./run/weight-announcements.js";
export type { GroupState, LedgerStore, RunCounts } from "./store/ledger-store.js";
export type { RewardOptions } from "./work/reward-work.js";
export type { RolloutOptions } from "./work/rollout-work.js";
