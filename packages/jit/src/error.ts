import type { MemoryShortage } from "./memory-shortage.js";

/** What went wrong, as a closed set. The message names the function, operation or field, the value, and the fix. */
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
  /** A launch failed before, and what it was to write is gone: make another module. */
  | "STATE_LOST"
  | "TENSOR_OUT_OF_SCOPE"
  | "UNKNOWN_FUNCTION"
  | "UNKNOWN_INPUT"
  | "UNKNOWN_STATE";

/** The one error class of this package. */
export class JitError extends Error {
  override readonly name = "JitError";
  readonly code: JitErrorCode;
  /** With MEMORY_EXHAUSTED of TensorFlow: how much was asked for and where. */
  readonly shortage?: MemoryShortage;
  /** The module's state is gone with this failure: whatever it is asked from now on is STATE_LOST. */
  readonly losesState: boolean;

  constructor(
    code: JitErrorCode,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly shortage?: MemoryShortage;
      readonly losesState?: boolean;
    } = {},
  ) {
    super(`[${code}] ${message}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.losesState = options.losesState ?? false;
    if (options.shortage !== undefined) this.shortage = options.shortage;
  }
}
