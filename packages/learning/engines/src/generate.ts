import type { VersionRun } from "./version-runs.js";

/** A request to a language model: token ids in, token ids out. It is the complete interface that agents own. */
export interface GenerateRequest {
  readonly promptTokenIds: readonly number[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly stopTokenIds: readonly number[];
  /** Texts after which sampling stops. The sampled tokens then include the text's own. */
  readonly stop?: readonly string[];
  readonly seed: number;
  /** Called with sampled tokens as they arrive, each once and in order. The answer is then streamed. */
  readonly onTokens?: (tokenIds: readonly number[]) => void;
}

/** What a sampler returns for one prompt: the sampled tokens, one log-probability for each, and why it stopped. */
export interface GenerateResult {
  readonly tokenIds: readonly number[];
  /**
   * Log-probs in nats before temperature and truncation, one per token. NaN when the server reports only those after
   * them.
   */
  readonly rolloutLogprobs: readonly number[];
  /**
   * Log-probs in nats after temperature and truncation, one per token. Absent when the server reports those before
   * them.
   */
  readonly sampledLogprobs?: readonly number[];
  readonly stopReason: "stop" | "length";
  /** Of several, with `weightUpdates: "in-flight"`, the oldest. */
  readonly policyVersion: number;
  /** Set if several versions sampled it. */
  readonly versionRuns?: readonly VersionRun[];
  /** Hash given with the last load of weights, or "" before any: a server does not report what it serves. */
  readonly weightsHash: string;
}
