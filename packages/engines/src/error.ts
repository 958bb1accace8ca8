/** What went wrong, as a program may ask. Closed: each code has one meaning. */
export type EngineErrorCode =
  /** A setting is missing, out of bounds or not supported. */
  | "CONFIG_INVALID"
  /** A request that no server of this kind can answer. */
  | "REQUEST_INVALID"
  /** The server knows the request and says no: 4xx. */
  | "REFUSED"
  /** The server has too much to do, 429 or 503, also after the last attempt. */
  | "OVERLOADED"
  /** The server failed, 5xx, also after the last attempt. */
  | "SERVER_FAILED"
  /** No connection, or it was cut, also after the last attempt. */
  | "UNREACHABLE"
  | "TIMEOUT"
  /** The answer is not what such a server says: no JSON, wrong fields, no UTF-8. */
  | "BAD_REPLY"
  /** Sampled by other weights than those that were loaded last. */
  | "OTHER_WEIGHTS"
  /** The server gives no token ids or no log-probabilities: nothing can be trained from it. */
  | "NOT_TRAINABLE"
  /** The server has no endpoint for it, such as loading weights. */
  | "UNSUPPORTED"
  /** As many requests wait as may wait; the same request may succeed later. */
  | "QUEUE_FULL"
  | "CLOSED";

const retryableCodes: ReadonlySet<EngineErrorCode> = new Set([
  "OVERLOADED",
  "SERVER_FAILED",
  "UNREACHABLE",
  "TIMEOUT",
  "QUEUE_FULL",
]);

/** The one error of this package. The message names the endpoint or field, what came, and the fix. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;
  readonly retryable: boolean;
  /** HTTP status, where the server answered. */
  readonly status: number | undefined;
  /** What the server asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: EngineErrorCode,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
      readonly retryable?: boolean;
    } = {},
  ) {
    super(`[${code}] ${message}`, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "EngineError";
    this.code = code;
    this.retryable = options.retryable ?? retryableCodes.has(code);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}
