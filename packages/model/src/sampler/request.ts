import { z } from "zod";
import { ModelError } from "../error.js";

/** One generation: token ids in. The same fields as the Sampler seam that agents own. */
export interface GenerateRequest {
  readonly promptTokenIds: readonly number[];
  /** At most this many sampled tokens, ≥ 1. */
  readonly maxTokens: number;
  /** 0 is greedy. */
  readonly temperature: number;
  /** This sampler keeps the whole distribution: 1 or absent. */
  readonly topP?: number;
  /** Sampling stops after one of these; it is kept as the last sampled token. */
  readonly stopTokenIds: readonly number[];
  /** Same seed, same prompt, same weights: same tokens, whatever else is in the batch. */
  readonly seed: number;
}

/** Aborted generations reject instead. */
export type FinishReason = "stop" | "length";

export interface GenerateResult {
  readonly tokenIds: readonly number[];
  /** Nats, before temperature; one a token. */
  readonly rolloutLogprobs: readonly number[];
  readonly stopReason: FinishReason;
  readonly policyVersion: number;
  readonly weightsHash: string;
}

export const samplerConfigSchema = z.strictObject({
  maxBatch: z.int().positive().default(64).describe("Requests sampled at once: slots of the KV cache"),
  maxLength: z.int().min(2).describe("Longest prompt and sampled tokens of one request together"),
  promptLengths: z
    .array(z.int().positive())
    .optional()
    .describe("Lengths that prompts are padded to, ascending; default 32, 64, … up to maxLength - 1"),
  maxQueue: z.int().positive().default(4096).describe("Requests that may wait for a slot"),
  stepsPerCall: z
    .int()
    .positive()
    .default(8)
    .describe("Tokens sampled a device call; the rest of a call is wasted when a request stops early"),
});

export type SamplerConfig = z.infer<typeof samplerConfigSchema>;
export type SamplerConfigInput = z.input<typeof samplerConfigSchema>;

/** @throws {ModelError} REQUEST_INVALID, naming the field, its value and the limit */
export function checkRequest(
  request: GenerateRequest,
  limits: { vocabSize: number; maxLength: number },
): void {
  const { promptTokenIds, maxTokens, temperature, topP } = request;
  const refuse = (field: string, value: unknown, mend: string): never => {
    throw new ModelError("REQUEST_INVALID", `generate: ${field} is ${String(value)}; ${mend}`);
  };
  if (promptTokenIds.length === 0) refuse("promptTokenIds", "empty", "a prompt needs at least one token");
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    refuse("maxTokens", maxTokens, "it must be a whole number ≥ 1");
  if (!Number.isFinite(temperature) || temperature < 0) refuse("temperature", temperature, "it must be ≥ 0");
  if (topP !== undefined && topP !== 1) refuse("topP", topP, "only 1 is supported by the in-process sampler");
  if (!Number.isSafeInteger(request.seed)) refuse("seed", request.seed, "it must be a safe integer");
  const length = promptTokenIds.length + maxTokens;
  if (length > limits.maxLength) {
    const mend = `the sampler was made for maxLength ${limits.maxLength}; shorten the prompt or raise it`;
    refuse("prompt + maxTokens", `${promptTokenIds.length} + ${maxTokens}`, mend);
  }
  const outside = promptTokenIds.find((id) => !Number.isInteger(id) || id < 0 || id >= limits.vocabSize);
  if (outside !== undefined) refuse("promptTokenIds", outside, `ids are 0 to ${limits.vocabSize - 1}`);
}
