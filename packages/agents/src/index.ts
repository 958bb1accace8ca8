// For users
export {
  type AgentModel,
  type AgentSettings,
  type AgentSettingsInput,
  agentSettingsSchema,
  createAgent,
} from "./agent-settings.js";
// For other packages
export type { ChatFormat, ChatTurn } from "./chat-format.js";
export type {
  Agent,
  AgentProgress,
  AgentTask,
  DocumentText,
  EpisodeResult,
  RunOptions,
  SampleCounts,
} from "./episode.js";
export { callSeed, toTrajectory } from "./episode.js";
export { AgentError, type AgentErrorCode } from "./error.js";
export { type MemAgentConfig, type MemAgentConfigInput, memAgentConfigSchema } from "./memagent/config.js";
export {
  type Demonstration,
  type DemonstrationOptions,
  memAgentDemonstrations,
} from "./memagent/demonstrations.js";
export { type HabitChances, type HabitOptions, memAgentHabits } from "./memagent/habits.js";
export { type MemAgentPrompts, memAgent, memAgentPrompts } from "./memagent/memagent.js";
export { type MemAgentPreset, memAgentConfig, memAgentPresets } from "./memagent/presets.js";
export type { GenerateRequest, GenerateResult, Sampler, Tokenizer } from "./sampler.js";
