/** What went wrong, as a closed set. The message names the function, operation or field, the value, and the mend. */
export type JitErrorCode =
  | "BACKEND_UNAVAILABLE"
  | "DISPOSED"
  | "DTYPE_MISMATCH"
  | "EXECUTION_FAILED"
  | "HOST_READ_WHILE_TRACING"
  | "INVALID_OPTIONS"
  | "MEMORY_EXHAUSTED"
  | "NO_GRADIENT"
  | "NO_SHAPE_INFERENCE"
  | "SHAPE_MISMATCH"
  | "TENSOR_OUT_OF_SCOPE"
  | "UNKNOWN_FUNCTION"
  | "UNKNOWN_INPUT"
  | "UNKNOWN_STATE";

/** The one error class of this package. */
export class JitError extends Error {
  override readonly name = "JitError";
  readonly code: JitErrorCode;

  constructor(code: JitErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(`[${code}] ${message}`, options);
    this.code = code;
  }
}
