// For users: search over texts.
export { Bm25Index, type Bm25Options } from "./bm25-index.js";
export { DenseIndex } from "./dense-index.js";
export type { Embedder } from "./embedder.js";
export { MemoryError, type MemoryErrorCode } from "./error.js";
export { hashedEmbedder } from "./hashed-embedder.js";
export type { Hit } from "./top-k.js";
