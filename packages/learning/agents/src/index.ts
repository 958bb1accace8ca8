// For users
export { z } from "zod";
export type { AgentKind, AgentModel, ReadingShape } from "./agent-kind.js";
// For other packages
export {
  type AgentSettings,
  type AgentSettingsInput,
  agentConfigOf,
  agentKindOf,
  agentKinds,
  agentSettingsSchema,
  type BuiltInAgentSettings,
  builtInAgentSchema,
  createAgent,
  type ReadingAgentSettings,
  readingAgentSettingsSchema,
} from "./agent-settings.js";
export { type ChatFormat, type ChatTurn, chatMl } from "./chat-format.js";
export { type Chunk, type ChunkRules, chunkDocument } from "./chunks.js";
export {
  type AgentDefinition,
  type AgentModule,
  defineAgent,
  type OwnResult,
  type WholeAgentDefinition,
} from "./define-agent.js";
export { defineTool, type Tool, type ToolContext, type ToolSpec } from "./define-tool.js";
export type {
  Agent,
  AgentProgress,
  AgentTask,
  DocumentText,
  EarlierMemory,
  EpisodeResult,
  EpisodeState,
  RunOptions,
  SampleCounts,
} from "./episode.js";
export { callSeed, toTrajectory } from "./episode.js";
export { AgentError, type AgentErrorCode } from "./error.js";
export { type MemAgentConfig, type MemAgentConfigInput, memAgentConfigSchema } from "./memagent/config.js";
export { type MemAgentPrompts, memAgent, memAgentPrompts } from "./memagent/memagent.js";
export { type MemAgentPreset, memAgentConfig } from "./memagent/presets.js";
export {
  type MemUpdateConfig,
  type MemUpdateConfigInput,
  memUpdateConfigSchema,
} from "./memupdate/config.js";
export { type MemUpdateEnding, memUpdate } from "./memupdate/memupdate.js";
export { type MemUpdatePreset, memUpdateConfig } from "./memupdate/presets.js";
export { answerFromStore, type ReaderConfig, type StoreAnswer } from "./memupdate/reader.js";
export type { AskOptions, OwnEpisode, Reply } from "./own-episode.js";
export type { ToolOptions, ToolReply } from "./own-tools.js";
export { type ParallelConfig, type ParallelConfigInput, parallelConfigSchema } from "./parallel/config.js";
export { parallelReader } from "./parallel/parallel-reader.js";
export { type ParallelPreset, parallelConfig } from "./parallel/presets.js";
export { exampleNames, leakedNames } from "./prompts/example-leaks.js";
export { type PromptSettings, type PromptTexts, promptTexts } from "./prompts/prompt-texts.js";
export {
  type BoundTemplate,
  compileTemplate,
  plainIds,
  specialId,
  type Template,
} from "./prompts/template.js";
export {
  type ReMemR1Config,
  type ReMemR1ConfigInput,
  rememr1ConfigSchema,
} from "./rememr1/config.js";
export { type ReMemR1Preset, rememr1Config } from "./rememr1/presets.js";
export { rememr1Prompts } from "./rememr1/prompts.js";
export { rememr1 } from "./rememr1/rememr1.js";
export {
  type Retrieval,
  retrieveMemory,
  type TermsOf,
  tokenTerms,
  whitespaceTerms,
} from "./rememr1/retriever.js";
export type { GenerateRequest, GenerateResult, Sampler, Tokenizer } from "./sampler.js";
export type { LineForm } from "./tools/line-calls.js";
export { searchTool } from "./tools/search-tool.js";
export {
  parseToolCalls,
  type ToolCall,
  type ToolCallBlock,
  type ToolCallReply,
} from "./tools/tool-calls.js";
export { characterEnd, characterStart, wholeCharacters } from "./whole-characters.js";
