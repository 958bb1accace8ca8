import type { Embedder } from "@palimpsest/memory";
import { z } from "zod";
import { RewardError } from "./error.js";
import type { RewardKind } from "./reward-kind.js";

/** A language model as text in, text out; endpoints of @palimpsest/engines are such. */
export interface TextModel {
  /** @throws where it could not answer, after its own attempts */
  generateText(request: {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly maxTokens?: number;
    readonly temperature?: number;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly text: string }>;
}

/** A model that is not trained and says how likely an answer is. */
export interface Reader {
  /**
   * @returns nats of all the answer's tokens together, each at least; and how many tokens there are
   */
  logLikelihood(request: {
    readonly prompt: string;
    readonly answer: string;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly logprob: number; readonly tokens: number }>;
}

/** Where a model is asked that speaks OpenAI's protocol. */
export const modelEndpointSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe("where the server listens, such as http://127.0.0.1:8000"),
  model: z.string().min(1).optional().describe("name of the model; servers of one model need none"),
  tokenEnv: z
    .string()
    .min(1)
    .optional()
    .describe("environment variable with the key, sent as a bearer token; never logged"),
  tokenFile: z.string().min(1).optional().describe("file with the key, in place of tokenEnv"),
  maxConcurrency: z.int().min(1).default(32).describe("requests under way at once"),
  timeoutMs: z.int().min(1).default(120_000).describe("for one request with all its attempts"),
});
export type ModelEndpoint = z.output<typeof modelEndpointSchema>;

/** The model that says how likely answers are. */
export const frozenReaderSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .describe("folder of a model in the Hugging Face layout, relative to the recipe; it is never trained"),
});
export type FrozenReader = z.output<typeof frozenReaderSchema>;

/** What rewards are given that they cannot make: whoever runs them knows models and environment. */
export interface RewardDependencies {
  readonly openTextModel?: (endpoint: ModelEndpoint) => TextModel;
  readonly openReader?: (reader: FrozenReader) => Reader;
  /** In place of the embedder of the settings. */
  readonly embedder?: Embedder;
  /** What the module exports that the settings name; for the reward `module` alone. */
  readonly module?: RewardKind;
  /** Where tokenEnv is looked up. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** @throws {RewardError} BAD_CONFIG */
export function openTextModel(field: string, endpoint: ModelEndpoint, given: RewardDependencies): TextModel {
  if (given.openTextModel !== undefined) return given.openTextModel(endpoint);
  throw new RewardError("BAD_CONFIG", `${field}: needs a language model, and none can be opened here`);
}
