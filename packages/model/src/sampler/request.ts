import { z } from "zod";
import { ModelError } from "../error.js";

/** One generation: token ids in. The same fields as the Sampler seam that agents own. */
export interface GenerateRequest {
  readonly promptTokenIds: readonly number[];
  /** At most this many sampled tokens, ≥ 1. */
  readonly maxTokens: number;
  /** 0 is greedy. */
  readonly temperature: number;
  /** Keeps the K likeliest tokens, and those as likely as the K-th; 0 or absent keeps all. */
  readonly topK?: number;
  /** Keeps the likeliest tokens that together have this probability, in (0, 1]; 1 or absent keeps all. */
  readonly topP?: number;
  /** Keeps tokens at least this many times as likely as the likeliest, in [0, 1]; 0 or absent keeps all. */
  readonly minP?: number;
  /** Sampling stops after one of these; it is kept as the last sampled token. */
  readonly stopTokenIds: readonly number[];
  /**
   * Sampling stops once the text of the sampled tokens holds one of these, across the borders of tokens. All tokens up to
   * the one that completes it are kept. Needs a sampler that was made with `decode`.
   */
  readonly stop?: readonly string[];
  /** Same seed, same prompt, same weights: same tokens, whatever else is in the batch. */
  readonly seed: number;
  /** The n likeliest tokens at each place come back in `topLogprobs`, at most 20. */
  readonly logprobs?: number;
  /**
   * Called with every run of tokens as it is sampled, in order, and with what the result will say of these tokens; what
   * it throws rejects this request.
   */
  readonly onTokens?: (tokenIds: readonly number[], logprobs: RunLogprobs) => void;
}

/** The log-probs of one run of sampled tokens, as in the result: one entry per token. */
export type RunLogprobs = Pick<GenerateResult, "rolloutLogprobs" | "sampledLogprobs" | "topLogprobs">;

/** Aborted generations reject instead. */
export type FinishReason = "stop" | "length";

/** The likeliest tokens at one place, likeliest first; nats, before temperature and truncation. */
export interface TopLogprobs {
  readonly tokenIds: readonly number[];
  readonly logprobs: readonly number[];
}

export interface GenerateResult {
  readonly tokenIds: readonly number[];
  /** Nats, of the model's own distribution: before temperature and truncation; one per token. */
  readonly rolloutLogprobs: readonly number[];
  /** Nats, of the distribution that the token was drawn from: after temperature and truncation; one per token. */
  readonly sampledLogprobs: readonly number[];
  /** One per token, where the request asked for `logprobs`. */
  readonly topLogprobs?: readonly TopLogprobs[];
  readonly stopReason: FinishReason;
  /** Which of the request's `stop` was found. */
  readonly stopString?: string;
  readonly policyVersion: number;
  readonly weightsHash: string;
}

export const samplerConfigSchema = z.strictObject({
  maxBatch: z.int().positive().default(64).describe("Requests in flight at once"),
  maxLength: z.int().min(2).describe("Longest prompt and sampled tokens of one request together"),
  promptLengths: z
    .array(z.int().positive())
    .optional()
    .describe("Lengths that pieces of prompts are padded to; default 32, 64, … up to the longest piece"),
  packPrompts: z
    .boolean()
    .optional()
    .describe(
      "With a table of slots: prompts are read laid end to end, not padded each. Default: where a GPU's attention is one kernel. Elsewhere a request whose " +
        "numbers are not finite fails those that are read with it. promptLengths turns it off",
    ),
  maxQueue: z.int().positive().default(4096).describe("Requests that may wait"),
  stepsPerCall: z
    .int()
    .positive()
    .optional()
    .describe(
      "Tokens sampled a device call; the rest of a call is wasted when a request stops early. Default 8, with a table of " +
        "slots 32",
    ),
  prefillTokens: z
    .int()
    .min(32)
    .optional()
    .describe(
      "Prompt tokens read between two calls that sample; longer prompts are read in pieces. Default: what takes a " +
        "fraction of a second, 256 for models of 100 million parameters and more, up to 4096 for small ones",
    ),
  lanes: z
    .int()
    .positive()
    .default(1)
    .describe(
      "Parts of a large batch that sample side by side; for models of up to 8 layers, one per core, on a backend loaded " +
        "with threads 1 and as many operationsAtOnce",
    ),
  cacheTokens: z
    .int()
    .positive()
    .optional()
    .describe(
      "Tokens whose keys and values are kept; default maxBatch times maxLength, so that nobody waits",
    ),
  precision: z
    .enum(["auto", "float32", "bfloat16"])
    .default("auto")
    .describe(
      "bfloat16: matrices are stored in it and multiplied in it; modes graph and xla. Sampled log-probabilities then " +
        "differ from a float32 learner's, of SmolLM2-135M by 0.02 nats on average. auto: bfloat16 on a CPU where a trial of 100 ms finds it faster for this model, else float32",
    ),
  cache: z
    .enum(["pages", "slots"])
    .optional()
    .describe(
      "How keys and values are kept. pages: a pool that requests take pages of and share; slots: a table with one row of " +
        "maxLength tokens for each request in flight. Default slots on a GPU in mode xla with precision bfloat16, pages elsewhere",
    ),
  prefixCache: z
    .boolean()
    .default(true)
    .describe("Prompts that begin alike share what was read of them, in flight or kept from earlier"),
  speculate: z
    .boolean()
    .optional()
    .describe(
      "While one request runs alone, guesses from what it has read and sampled are checked several in a call: the same tokens, sooner where " +
        "a reply copies its prompt. In bfloat16 another rounding now and then draws another token. Possible with cache slots, and with pages where more than 8 " +
        "layers run on a CPU in mode graph, without batchInvariant; default there true with float32 where singleWeights is off or the model small, and false with slots",
    ),
  singleWeights: z
    .enum(["auto", "off", "float32", "bfloat16", "int8"])
    .default("auto")
    .describe(
      "What a request that runs alone on a CPU multiplies by, in a decoder of its own: it has another copy of the weights. int8 is fastest and moves log-probabilities, of " +
        "SmolLM2-135M by 0.02 nats on average. auto: as `precision` in models of 20 million parameters and more, from the 17th token of a request alone on",
    ),
  batchInvariant: z
    .boolean()
    .default(false)
    .describe(
      "A request's numbers are the same bits whoever shares its batch; on a CPU in mode graph. Batches are padded to " +
        "multiples of 16 rows, and beginnings of prompts are shared in whole pieces",
    ),
});

export type SamplerConfig = z.infer<typeof samplerConfigSchema>;
export type SamplerConfigInput = z.input<typeof samplerConfigSchema>;

export interface RequestLimits {
  readonly vocabSize: number;
  readonly maxLength: number;
  /** Text of token ids is at hand. */
  readonly canDecode: boolean;
}

const mostTopLogprobs = 20;

/** @throws {ModelError} REQUEST_INVALID, naming the field, its value and the limit */
export function checkRequest(request: GenerateRequest, limits: RequestLimits): void {
  const { promptTokenIds, maxTokens, temperature, topK = 0, topP = 1, minP = 0, logprobs = 0 } = request;
  const refuse = (field: string, value: unknown, fix: string): never => {
    throw new ModelError("REQUEST_INVALID", `generate: ${field} is ${String(value)}; ${fix}`);
  };
  if (promptTokenIds.length === 0) refuse("promptTokenIds", "empty", "a prompt needs at least one token");
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    refuse("maxTokens", maxTokens, "it must be a whole number ≥ 1");
  if (!Number.isFinite(temperature) || temperature < 0) refuse("temperature", temperature, "it must be ≥ 0");
  if (!Number.isInteger(topK) || topK < 0) refuse("topK", topK, "it must be a whole number ≥ 0; 0 keeps all");
  if (!(topP > 0 && topP <= 1)) refuse("topP", topP, "it must be above 0 and at most 1; 1 keeps all");
  if (!(minP >= 0 && minP <= 1)) refuse("minP", minP, "it must be from 0 to 1; 0 keeps all");
  if (!Number.isInteger(logprobs) || logprobs < 0 || logprobs > mostTopLogprobs)
    refuse("logprobs", logprobs, `it must be a whole number from 0 to ${mostTopLogprobs}`);
  if (!Number.isSafeInteger(request.seed)) refuse("seed", request.seed, "it must be a safe integer");
  if (request.stop?.includes("")) refuse("stop", '""', "a stop string needs at least one character");
  if (request.stop !== undefined && request.stop.length > 0 && !limits.canDecode)
    refuse("stop", JSON.stringify(request.stop), "give createSampler a decode function, or use stopTokenIds");
  const length = promptTokenIds.length + maxTokens;
  if (length > limits.maxLength) {
    const fix = `the sampler was made for maxLength ${limits.maxLength}; shorten the prompt or raise it`;
    refuse("prompt + maxTokens", `${promptTokenIds.length} + ${maxTokens}`, fix);
  }
  const outside = promptTokenIds.find((id) => !Number.isInteger(id) || id < 0 || id >= limits.vocabSize);
  if (outside !== undefined) refuse("promptTokenIds", outside, `ids are 0 to ${limits.vocabSize - 1}`);
}
