import type { Embedder } from "@palimpsest/memory";
import { z } from "zod";
import { RewardError } from "./error.js";

/** A language model with text in and text out, such as an endpoint of @palimpsest/engines. */
export interface TextModel {
  /** @throws when it could not answer, after its own retries */
  generateText(request: {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly maxTokens?: number;
    readonly temperature?: number;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly text: string }>;
}

/** A frozen model that returns how likely an answer is. */
export interface Reader {
  /** @returns the sum of the log-probs of the answer's tokens in nats, and the number of these tokens */
  logLikelihood(request: {
    readonly prompt: string;
    readonly answer: string;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly logprob: number; readonly tokens: number }>;
}

/** Settings of a model endpoint that speaks OpenAI's protocol. */
export const modelEndpointSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe("address of the server, such as http://127.0.0.1:8000"),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("name of the model; servers with a single model do not need it"),
  tokenEnv: z
    .string()
    .min(1)
    .optional()
    .describe("environment variable with the key, which is sent as a bearer token and never logged"),
  tokenFile: z.string().min(1).optional().describe("file with the key, instead of tokenEnv"),
  maxConcurrency: z.int().min(1).default(32).describe("maximum number of concurrent requests"),
  timeoutMs: z
    .int()
    .min(1)
    .default(120_000)
    .describe("deadline of one request with all its attempts, in milliseconds"),
});
export type ModelEndpoint = z.output<typeof modelEndpointSchema>;

/** Settings of the model that returns how likely answers are. */
export const frozenReaderSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .describe("folder of a model in the Hugging Face layout, relative to the recipe; it is never trained")
    .meta({ format: "path" }),
});
export type FrozenReader = z.output<typeof frozenReaderSchema>;

/** What rewards need and cannot create themselves. Whoever runs them supplies models and environment. */
export interface RewardDependencies {
  readonly openTextModel?: (endpoint: ModelEndpoint) => TextModel;
  readonly openReader?: (reader: FrozenReader) => Reader;
  /** Used instead of the embedder of the settings. */
  readonly embedder?: Embedder;
  /** The environment in which tokenEnv is looked up. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** @throws {RewardError} BAD_CONFIG */
export function openTextModel(field: string, endpoint: ModelEndpoint, given: RewardDependencies): TextModel {
  if (given.openTextModel !== undefined) return given.openTextModel(endpoint);
  throw new RewardError(
    "BAD_CONFIG",
    `${field}: needs a language model, which this program does not open; pass \`openTextModel\``,
  );
}
