import { z } from "zod";
import type { Embedder } from "./embedder.js";
import { hashedEmbedder } from "./hashed-embedder.js";

/** Which embedder, and its settings. */
export const embedderConfigSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("hashed").describe("hashed words and parts of words; needs no model"),
    dimensions: z.int().min(8).max(4096).default(256).describe("numbers a vector"),
  }),
]);

export type EmbedderConfig = z.infer<typeof embedderConfigSchema>;

/** @throws {MemoryError} BAD_INPUT */
export function createEmbedder(config: EmbedderConfig): Embedder {
  return hashedEmbedder(config);
}
