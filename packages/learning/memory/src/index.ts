// For users: stores, and search over texts.
export { Bm25Index, type Bm25Options, queryTerms } from "./bm25-index.js";
export { DenseIndex } from "./dense-index.js";
export type { Embedder } from "./embedder.js";
export { createEmbedder, type EmbedderConfig, embedderConfigSchema } from "./embedder-config.js";
export { MemoryError, type MemoryErrorCode } from "./error.js";
export { hashedEmbedder } from "./hashed-embedder.js";
export {
  MemoryStore,
  type RecordChange,
  type RecordDraft,
  type SearchHit,
  type SearchOptions,
  type StoreOptions,
} from "./memory-store.js";
// For other packages: the file format of records.
export { memoryRecordSchema, storeDiffSchema } from "./record-schema.js";
export type { SearchFilter } from "./search-filter.js";
export { readSnapshotFile, snapshotTarget, writeSnapshotFile } from "./snapshot-file.js";
export { StoreBase } from "./store-base.js";
export { StoreBases } from "./store-bases.js";
// For other packages: the tools, as an agent needs them.
export { readArguments } from "./tools/arguments.js";
export { type MemoryToolName, memoryToolNames, memoryTools } from "./tools/memory-tools.js";
export type { MemoryToolContext, Tool } from "./tools/tool.js";
export { type ToolDefinition, type ToolResult, type ToolSet, toolSet } from "./tools/tool-set.js";
export type { Hit } from "./top-k.js";
