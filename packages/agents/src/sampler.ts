import type { StopReason } from "@palimpsest/memory/records";

/** What an agent asks of a language model: token ids in, token ids out. */
export interface GenerateRequest {
  readonly promptTokenIds: readonly number[];
  /** At most this many sampled tokens, ≥ 1. */
  readonly maxTokens: number;
  /** 0 is greedy. */
  readonly temperature: number;
  /** Keeps the K likeliest tokens; 0 or absent keeps all. Truncations apply in the order top-k, top-p, min-p. */
  readonly topK?: number;
  /** Nucleus size in (0, 1]; 1 keeps all. */
  readonly topP?: number;
  /** Keeps tokens at least this many times as likely as the likeliest, in [0, 1]; 0 or absent keeps all. */
  readonly minP?: number;
  /** Sampling stops after one of these; it is kept as the last sampled token. */
  readonly stopTokenIds: readonly number[];
  /** Sampling stops once the sampled text holds one of these; the tokens up to and with it are kept. */
  readonly stop?: readonly string[];
  /** Same seed, same prompt, same weights: same tokens, whatever else is in the batch. */
  readonly seed: number;
  /** Called with tokens as they are sampled, each once and in order. */
  readonly onTokens?: (tokenIds: readonly number[]) => void;
}

export interface GenerateResult {
  readonly tokenIds: readonly number[];
  /**
   * Nats, before temperature and truncation; one per token. NaN where the engine cannot tell: an episode that has not
   * `sampledLogprobs` either is an answer, and no queue or learner takes it.
   */
  readonly rolloutLogprobs: readonly number[];
  /** Nats, after temperature and truncation, of the distribution that was drawn from; where the engine tells. */
  readonly sampledLogprobs?: readonly number[];
  readonly stopReason: StopReason;
  readonly policyVersion: number;
  /** Hash of the weights that sampled; "" where the engine cannot tell. */
  readonly weightsHash: string;
}

/** In-process model, server behind HTTP, or a script in a test: agents do not know which. */
export interface Sampler {
  generate(request: GenerateRequest, signal?: AbortSignal): Promise<GenerateResult>;
}

/** Text to token ids and back, without special tokens added on its own. */
export interface Tokenizer {
  /** What the model expects before a plain prompt, such as a begin token; chats write their own. Absent: nothing. */
  readonly beginTokenIds?: readonly number[];
  /** Agents ask for "text": a special token's text inside a text stays letters, so no document can forge a turn. */
  encode(text: string, options?: { readonly specialTokens?: "ids" | "text" }): number[];
  decode(tokenIds: readonly number[]): string;
  /** Id of a special token by its text, undefined when the vocabulary has none such. */
  specialTokenId(text: string): number | undefined;
}
