import { CodedError } from "@palimpsest/std";

/** Reasons why an episode could not be run. */
export type AgentErrorCode =
  /** A setting or a template is invalid, or the tokenizer does not know a special token. */
  | "BAD_CONFIG"
  /** The document has more chunks than `maxChunks` and `overflow` is "error". */
  | "DOCUMENT_OVERFLOW"
  /** The state to resume from does not fit the agent or the document, or a conversation began when it must not. */
  | "BAD_STATE"
  /** The sampler's result contradicts the request. */
  | "BAD_SAMPLE"
  /**
   * A model on a server answered the question with nothing. `details.result` is the episode's result with an empty answer;
   * its memory is whole.
   */
  | "NO_ANSWER"
  /** The sampler aborted without a request to do so. */
  | "SAMPLE_ABORTED";

/** The only error class of this package: its message names the field, the value and the fix. */
export class AgentError extends CodedError<AgentErrorCode> {
  constructor(code: AgentErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super("AgentError", code, message, { details });
  }
}
