/** What went wrong, as a program may ask. Closed: each code has one meaning. */
export type ModelErrorCode =
  /** A configuration field is missing, out of bounds or not supported. */
  | "CONFIG_INVALID"
  | "FILE_MISSING"
  /** A weight file is truncated or its header does not parse. */
  | "FILE_DAMAGED"
  | "TENSOR_MISSING"
  | "TENSOR_UNKNOWN"
  | "SHAPE_MISMATCH"
  | "DTYPE_UNSUPPORTED"
  /** NaN or infinity among the weights. */
  | "NOT_FINITE"
  | "TOKENIZER_INVALID"
  /** A generation request cannot be served by this sampler: too long, empty, out of bounds. */
  | "REQUEST_INVALID"
  /** The bounded queue of the sampler is full; the same request may succeed later. */
  | "QUEUE_FULL"
  | "CLOSED";

/** The one error of this package. The message names the field or file, the value, and the mend. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly retryable: boolean;

  constructor(code: ModelErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(`[${code}] ${message}`, options);
    this.name = "ModelError";
    this.code = code;
    this.retryable = code === "QUEUE_FULL";
  }
}
