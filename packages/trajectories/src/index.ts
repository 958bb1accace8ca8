export type { Task } from "./task.js";
export type {
  Conversation,
  ConversationKind,
  Group,
  MemoryStep,
  Score,
  ScoredTrajectory,
  StopReason,
  Trajectory,
} from "./trajectory.js";
