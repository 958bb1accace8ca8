import type { StopReason, VersionRun } from "@palimpsest/memory/records";

/** An agent's request to a language model: it sends token ids, and gets token ids back. */
export interface GenerateRequest {
  readonly promptTokenIds: readonly number[];
  /** The most tokens to sample, at least 1. */
  readonly maxTokens: number;
  /** 0 selects greedy sampling. */
  readonly temperature: number;
  /** Keeps the K likeliest tokens; 0 or absent keeps all. Truncations apply in the order top-k, top-p, min-p. */
  readonly topK?: number;
  /** Cumulative probability of the tokens kept (nucleus sampling), in (0, 1]; 1 keeps all. */
  readonly topP?: number;
  /** Keeps tokens at least this many times as likely as the likeliest, in [0, 1]; 0 or absent keeps all. */
  readonly minP?: number;
  /** Sampling stops after one of these; it is kept as the last sampled token. */
  readonly stopTokenIds: readonly number[];
  /** Sampling stops once the sampled text contains one of these; the tokens up to and including it are kept. */
  readonly stop?: readonly string[];
  /** The same seed, prompt and weights give the same tokens, whatever else is in the batch. */
  readonly seed: number;
  /** Is called with the tokens as they are sampled, each once and in order. */
  readonly onTokens?: (tokenIds: readonly number[]) => void;
}

/** What a sampler returns for one prompt: the sampled tokens, one log-probability for each, and why it stopped. */
export interface GenerateResult {
  readonly tokenIds: readonly number[];
  /**
   * Log-probs in nats, before temperature and truncation; one per token. They are NaN if the engine does not report
   * them: an episode that does not have `sampledLogprobs` either still has an answer, but queues and the learner
   * refuse it.
   */
  readonly rolloutLogprobs: readonly number[];
  /** Log-probs in nats after temperature and truncation, under the distribution that was sampled, if known. */
  readonly sampledLogprobs?: readonly number[];
  readonly stopReason: StopReason;
  /** The version that sampled it; of several, the oldest. */
  readonly policyVersion: number;
  /** Which version sampled how many of the tokens, in their order; absent where one version sampled all. */
  readonly versionRuns?: readonly VersionRun[];
  /** Hash of the weights that sampled the last token; "" if the engine does not report it. */
  readonly weightsHash: string;
}

/** Samples replies: a model in this process, a server behind HTTP, or a script in a test. Agents do not know which. */
export interface Sampler {
  /**
   * True for a model on a server that is not trained here. An empty reply of it is a fault of the service, which must
   * not cost the memory of what was read, and is no answer (NO_ANSWER); an empty reply of a policy in training is what the policy chose.
   */
  readonly served?: boolean;
  generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult>;
}

/** Converts text to token ids and back. It adds no special tokens itself. */
export interface Tokenizer {
  /**
   * The tokens that the model expects before a plain prompt, such as a begin token; absent if there are none. Chat
   * templates write their own.
   */
  readonly beginTokenIds?: readonly number[];
  /** With "text" the texts of special tokens are encoded as plain text, so that no document can forge a turn. */
  encode(text: string, options?: { readonly specialTokens?: "ids" | "text" }): number[];
  decode(tokenIds: readonly number[]): string;
  /** Returns the id of the special token with that text; undefined if the vocabulary has none. */
  specialTokenId(text: string): number | undefined;
}
