/** What is asked of a language model: token ids in, token ids out. The seam that agents own, as a whole. */
export interface GenerateRequest {
  readonly promptTokenIds: readonly number[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly stopTokenIds: readonly number[];
  /** Texts after which sampling stops; the sampled tokens then hold the text's own. */
  readonly stop?: readonly string[];
  readonly seed: number;
  /** Called with sampled tokens as they come, each once and in order; the answer is streamed then. */
  readonly onTokens?: (tokenIds: readonly number[]) => void;
}

export interface GenerateResult {
  readonly tokenIds: readonly number[];
  /** Nats, before temperature and truncation; one per token. NaN where the server tells those after them alone. */
  readonly rolloutLogprobs: readonly number[];
  /** Nats, after temperature and truncation; one per token. Absent where the server tells those before them. */
  readonly sampledLogprobs?: readonly number[];
  readonly stopReason: "stop" | "length";
  readonly policyVersion: number;
  /** As it was told at the last load of weights; "" before: a server does not say what it serves. */
  readonly weightsHash: string;
}
