/** Reasons why an episode could not be run. */
export type AgentErrorCode =
  /** A setting, a template or a token that the tokenizer does not know. */
  | "BAD_CONFIG"
  /** The document has more chunks than `maxChunks` and `overflow` is "error". */
  | "DOCUMENT_OVERFLOW"
  /** A resumption state does not fit the agent or the document, or a conversation must not start while others run. */
  | "BAD_STATE"
  /** The sampler's answer contradicts the request. */
  | "BAD_SAMPLE"
  /** The sampler aborted without a request to do so. */
  | "SAMPLE_ABORTED";

/** The only error class of this package: its message names the field, the value and the fix. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: AgentErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(`[${code}] ${message}`);
    this.name = "AgentError";
    this.code = code;
    this.details = details;
  }
}
