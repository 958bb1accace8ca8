import { z } from "zod";
import { ModelError } from "../../base/error.js";

const count = z.int().positive();

/** One generation request with token ids; its fields are those of the `Sampler` interface that agents own. */
export interface GenerateRequest {
  readonly promptTokenIds: readonly number[];
  /** Maximum number of sampled tokens, ≥ 1. */
  readonly maxTokens: number;
  /** 0 is greedy. */
  readonly temperature: number;
  /** Keeps the K most likely tokens, and those as likely as the K-th; 0 or absent keeps all. */
  readonly topK?: number;
  /** Keeps the most likely tokens whose cumulative probability reaches this, in (0, 1]; 1 or absent keeps all. */
  readonly topP?: number;
  /** Keeps tokens at least this many times as likely as the most likely one, in [0, 1]; 0 or absent keeps all. */
  readonly minP?: number;
  /** Sampling stops after one of these; it is kept as the last sampled token. */
  readonly stopTokenIds: readonly number[];
  /**
   * Sampling stops once the text of the sampled tokens contains one of these, even across token boundaries. All tokens up
   * to the one that completes it are kept. Needs a sampler that was created with `decode`.
   */
  readonly stop?: readonly string[];
  /** Same seed, same prompt, same weights: same tokens, unless rounding differs with the rest of the batch (docs/sampler.md). */
  readonly seed: number;
  /** Returns the n most likely tokens at each position in `topLogprobs`, at most 20. */
  readonly logprobs?: number;
  /**
   * Called with every run of tokens as it is sampled, in order, with the log-probs that the result will have for them; if
   * it throws, this request is rejected.
   */
  readonly onTokens?: (tokenIds: readonly number[], logprobs: RunLogprobs) => void;
}

/** The log-probs of one run of sampled tokens, as in the result: one entry per token. */
export type RunLogprobs = Pick<GenerateResult, "rolloutLogprobs" | "sampledLogprobs" | "topLogprobs">;

/** Aborted generations reject instead. */
export type FinishReason = "stop" | "length";

/** The most likely tokens at one position, most likely first; nats, before temperature and truncation. */
export interface TopLogprobs {
  readonly tokenIds: readonly number[];
  readonly logprobs: readonly number[];
}

/** What a sampler returns for one prompt: the sampled tokens, one log-probability for each, and why it stopped. */
export interface GenerateResult {
  readonly tokenIds: readonly number[];
  /** Nats, of the model's own distribution: before temperature and truncation; one per token. */
  readonly rolloutLogprobs: readonly number[];
  /** Nats, of the distribution that the token was drawn from: after temperature and truncation; one per token. */
  readonly sampledLogprobs: readonly number[];
  /** One per token, if the request asked for `logprobs`. */
  readonly topLogprobs?: readonly TopLogprobs[];
  readonly stopReason: FinishReason;
  /** Which of the request's `stop` strings was found. */
  readonly stopString?: string;
  /** The version that sampled it; of several, with `weightUpdates: "in-flight"`, the oldest. */
  readonly policyVersion: number;
  /** Which version sampled how many of the tokens, in their order; absent where one version sampled all. */
  readonly versionRuns?: readonly VersionRun[];
  /** Hash of the weights that sampled the last token. */
  readonly weightsHash: string;
}

/** Adjacent tokens of a reply that one version of the policy sampled. */
interface VersionRun {
  readonly policyVersion: number;
  readonly tokens: number;
}

export const samplerConfigSchema = z.strictObject({
  maxBatch: count.default(64).describe("Most requests in flight"),
  maxLength: z.int().min(2).describe("Most tokens of prompt and reply together"),
  promptLengths: z
    .array(z.int().positive())
    .optional()
    .describe("Lengths to which pieces of prompts are padded; absent: 32, 64, … up to the longest piece"),
  packPrompts: z
    .boolean()
    .optional()
    .describe(
      "With a table of slots: whether prompts are packed end to end instead of padded one by one. Absent: true if attention is one GPU kernel. Elsewhere a request whose " +
        "values are not finite fails those that are prefilled with it. promptLengths turns it off",
    ),
  maxQueue: count.default(4096).describe("Maximum number of waiting requests"),
  stepsPerCall: count
    .max(128)
    .optional()
    .describe(
      "Tokens sampled per device call; the rest of a call is wasted if a request stops early. Absent: 8, with a table of " +
        "slots 32",
    ),
  prefillTokens: z
    .int()
    .min(32)
    .optional()
    .describe(
      "Most prompt tokens that are prefilled between two sampling calls; longer prompts are prefilled in pieces. Absent: what takes a " +
        "fraction of a second, 256 for models of 100 million parameters and more, up to 4096 for small ones; with a table of slots on a GPU a " +
        "time, of four sampling calls or two seconds",
    ),
  lanes: count
    .default(1)
    .describe(
      "Parts of a batch that are prefilled and sampled in parallel, one per core, on a backend loaded with threads 1 and as many " +
        "operationsAtOnce; a part has at least 16 rows, in models of more than 8 layers 8. A request that runs alone then uses one core",
    ),
  cacheTokens: count
    .optional()
    .describe(
      "Capacity of the key-value cache in tokens; absent: maxBatch times maxLength, so that no request waits for it",
    ),
  precision: z
    .enum(["auto", "float32", "bfloat16"])
    .default("auto")
    .describe(
      "Type in which matrices are stored and multiplied; bfloat16 needs mode graph or xla. Sampled log-probs then " +
        "differ from a float32 learner's, for SmolLM2-135M by 0.02 nats on average. auto: bfloat16 on a CPU if a trial of 100 ms finds it faster for this model, else float32",
    ),
  cache: z
    .enum(["pages", "slots"])
    .optional()
    .describe(
      "How keys and values are stored. pages: a pool from which requests take and share pages; slots: a table with one row of " +
        "maxLength tokens for each request in flight. Absent: slots on a GPU in mode xla with precision bfloat16, pages elsewhere, and for models with a sliding window shorter than maxLength",
    ),
  prefixCache: z
    .boolean()
    .default(true)
    .describe(
      "Whether prompts with a common prefix share its keys and values, with requests in flight and with earlier ones",
    ),
  speculate: z
    .boolean()
    .optional()
    .describe(
      "Whether several tokens that are guessed from a request's prompt and reply are checked per pass, which gives the same tokens, sooner if " +
        "a reply copies its prompt. With cache slots for all requests at once, as long as calls that guess are the faster ones; with pages for a request that runs alone, if more than 8 " +
        "layers run on a CPU in mode graph, without batchInvariant. Absent: true with pages in float32 or with singleWeights; elsewhere false, because in bfloat16 " +
        "the different rounding of TensorFlow's products occasionally draws another token",
    ),
  singleWeights: z
    .enum(["auto", "off", "float32", "bfloat16", "int8"])
    .default("auto")
    .describe(
      "Format of the weights with which a request that runs alone on a CPU is sampled, by a separate decoder with its own copy of the weights. int8 is fastest and changes log-probs, for " +
        "SmolLM2-135M by 0.02 nats on average. auto: the same as `precision` in models of 20 million parameters and more, from the 17th token of a single request on",
    ),
  weightUpdates: z
    .enum(["drained", "in-flight", "staged"])
    .default("drained")
    .describe(
      "When new weights are applied. drained: once the running requests are done, and no request starts meanwhile. in-flight: between two calls, as soon as " +
        "no prompt is half read; running replies go on with the new weights over keys and values of the old ones, and their results say which version sampled which tokens. staged: as in-flight, but between calls that go on new weights in bfloat16 are copied to the " +
        "device beside the old ones, for which a table of slots needs room; adapters are merged as always",
    ),
  batchInvariant: z
    .boolean()
    .default(false)
    .describe(
      "Whether a request's results are the same bits regardless of the rest of its batch, on a CPU in mode graph. Batches are padded to " +
        "multiples of 16 rows, and prefixes of prompts are shared in whole pieces",
    ),
});

export type SamplerConfig = z.infer<typeof samplerConfigSchema>;
export type SamplerConfigInput = z.input<typeof samplerConfigSchema>;

export interface RequestLimits {
  readonly vocabSize: number;
  readonly maxLength: number;
  /** Whether a decode function was given. */
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
    const fix = `the sampler's maxLength is ${limits.maxLength}; shorten the prompt or raise maxLength`;
    refuse("prompt + maxTokens", `${promptTokenIds.length} + ${maxTokens}`, fix);
  }
  const outside = promptTokenIds.find((id) => !Number.isInteger(id) || id < 0 || id >= limits.vocabSize);
  if (outside !== undefined) refuse("promptTokenIds", outside, `ids are 0 to ${limits.vocabSize - 1}`);
}
