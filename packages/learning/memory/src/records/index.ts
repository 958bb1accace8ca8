// The records that agents, rewards, data and queues exchange, without stores and search, so that importing them loads
// nothing more.
export { type LocomoCategory, locomoCategories } from "./locomo-category.js";
export {
  type MemoryRecord,
  type MemoryType,
  memoryTypes,
  type Probe,
  type StoreDiff,
} from "./memory-record.js";
export { namedEvidence, type Task } from "./task.js";
export {
  type Column,
  type ColumnLength,
  type Conversation,
  type ConversationHead,
  type ConversationKind,
  type Group,
  isPlain,
  isTruncated,
  type MemoryStep,
  plainSampling,
  type Sampling,
  type Score,
  type ScoredTrajectory,
  type StopReason,
  type Trajectory,
  type TrajectoryHead,
  type VersionRun,
} from "./trajectory.js";
