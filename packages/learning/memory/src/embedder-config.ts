import { z } from "zod";
import type { Embedder } from "./embedder.js";
import { MemoryError } from "./error.js";
import { hashedEmbedder } from "./hashed-embedder.js";
import { refuseUnfit } from "./refuse-unfit.js";

/** Chooses an embedder and its settings. */
export const embedderConfigSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("hashed").describe("vectors of hashed words and character n-grams; needs no model"),
    dimensions: z.int().min(8).max(4096).default(256).describe("numbers per vector"),
  }),
  z.strictObject({
    kind: z.literal("endpoint").describe("vectors from a server with OpenAI's endpoint /v1/embeddings"),
    url: z.string().min(1).describe("URL of the server"),
    model: z.string().min(1).describe("name under which the server serves the model"),
    dimensions: z.int().min(1).describe("numbers per vector of this model"),
    tokenEnv: z
      .string()
      .min(1)
      .optional()
      .describe("environment variable with the server's key, which is sent as a bearer token"),
  }),
  z.strictObject({
    kind: z.literal("model").describe("mean hidden states of a language model, computed in this process"),
    model: z.string().min(1).describe("folder of the model, relative to the recipe").meta({ format: "path" }),
    maxTokens: z.int().min(1).default(128).describe("most tokens of a text that are read"),
  }),
]);

export type EmbedderConfig = z.infer<typeof embedderConfigSchema>;

/**
 * Creates the embedder that needs nothing but this package.
 * @throws {MemoryError} BAD_INPUT for a kind that needs a server or a model, which the caller has to open
 */
export function createEmbedder(config: EmbedderConfig): Embedder {
  refuseUnfit(embedderConfigSchema, config, "embedder");
  if (config.kind === "hashed") return hashedEmbedder({ dimensions: config.dimensions });
  throw new MemoryError(
    "BAD_INPUT",
    `embedder.kind: "${config.kind}" is not created here; pass an opened one to the agent or reward as \`embedder\`, or use kind: hashed`,
  );
}
