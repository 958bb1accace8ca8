import { CodedError } from "@palimpsest/std";

/** Says what went wrong, for programs. The set is closed: each code has one meaning. */
export type EngineErrorCode =
  /** A setting is missing, out of bounds or not supported. */
  | "CONFIG_INVALID"
  /** No server of this kind can answer the request. */
  | "REQUEST_INVALID"
  /** The server understood the request and refuses it: 4xx. */
  | "REFUSED"
  /** The server is overloaded, 429 or 503, even at the last attempt. */
  | "OVERLOADED"
  /** The server failed, 5xx, even at the last attempt. */
  | "SERVER_FAILED"
  /** There was no connection or it was cut, even at the last attempt. */
  | "UNREACHABLE"
  | "TIMEOUT"
  /** The answer is not what such a server returns: not JSON, wrong fields, not UTF-8. */
  | "BAD_REPLY"
  /**
   * The server answered and its model gave no answer: it was filtered, the model refused, called a tool, or thought until
   * its tokens were used up.
   */
  | "NO_ANSWER"
  /** The answer was sampled by other weights than those that were loaded last. */
  | "OTHER_WEIGHTS"
  /** The server returns no token ids or no log-probs, so nothing can be trained from it. */
  | "NOT_TRAINABLE"
  /** The server has no endpoint for the operation, such as loading weights. */
  | "UNSUPPORTED"
  /** The maximum number of requests wait already. The same request may succeed later. */
  | "QUEUE_FULL"
  | "CLOSED";

const retryableCodes: ReadonlySet<EngineErrorCode> = new Set([
  "OVERLOADED",
  "SERVER_FAILED",
  "UNREACHABLE",
  "TIMEOUT",
  "BAD_REPLY",
  "QUEUE_FULL",
]);

/** The one error class of this package. The message names the endpoint or field, what arrived, and the fix. */
export class EngineError extends CodedError<EngineErrorCode> {
  readonly retryable: boolean;
  /** HTTP status, if the server answered. */
  readonly status: number | undefined;
  /** What the server said about it, without what this package adds. */
  readonly said: string | undefined;
  /** The server's words for programs, such as RESOURCE_DOES_NOT_EXIST. */
  readonly words: string | undefined;
  /** How long the server asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: EngineErrorCode,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly status?: number;
      readonly said?: string | undefined;
      readonly words?: string | undefined;
      readonly retryAfterMs?: number | undefined;
      readonly retryable?: boolean;
    } = {},
  ) {
    super("EngineError", code, message, { cause: options.cause });
    this.retryable = options.retryable ?? retryableCodes.has(code);
    this.status = options.status;
    this.said = options.said;
    this.words = options.words;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Returns the same error with another message. */
export function withMessage(error: EngineError, message: string): EngineError {
  return new EngineError(error.code, message, {
    cause: error.cause,
    retryable: error.retryable,
    retryAfterMs: error.retryAfterMs,
    said: error.said,
    words: error.words,
    ...(error.status === undefined ? {} : { status: error.status }),
  });
}
