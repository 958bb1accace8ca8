import { CodedError } from "@palimpsest/std";

/** What went wrong, for programs. The set is closed: each code has one meaning. */
export type ModelErrorCode =
  /** A configuration field is missing, out of bounds or not supported. */
  | "CONFIG_INVALID"
  | "FILE_MISSING"
  /** A file is truncated, contradicts itself or does not parse. */
  | "FILE_DAMAGED"
  | "TENSOR_MISSING"
  | "TENSOR_UNKNOWN"
  | "SHAPE_MISMATCH"
  | "DTYPE_UNSUPPORTED"
  /** NaN or infinity among the weights. */
  | "NOT_FINITE"
  | "TOKENIZER_INVALID"
  /** Messages were given to a model whose tokenizer has no chat template. */
  | "TEMPLATE_MISSING"
  /** The chat template does not parse. */
  | "TEMPLATE_INVALID"
  /** The chat template raised an error about these messages, or could not render them. */
  | "TEMPLATE_REFUSED"
  /** A generation request cannot be served by this sampler: too long, empty, out of bounds. */
  | "REQUEST_INVALID"
  /** The bounded queue of the sampler is full; the same request may succeed later. */
  | "QUEUE_FULL"
  /** The device ran out of memory for a request. The message names the settings to lower, and whether the sampler continues. */
  | "MEMORY_EXHAUSTED"
  | "CLOSED"
  /** The folder that a model would be written to contains something else. */
  | "FOLDER_TAKEN"
  /** The hub has no such model, revision or file, or does not show it without a token. */
  | "HUB_NOT_FOUND"
  /** The hub requires a token, or this token may not read the model. */
  | "HUB_REFUSED"
  /** The hub or the network failed repeatedly; the same call may succeed later and resumes where it stopped. */
  | "HUB_UNREACHABLE"
  /** Another process works under the same path, and did so for longer than the caller was willing to wait. */
  | "LOCKED"
  /** The downloaded bytes do not match the hub's listing. */
  | "HASH_MISMATCH"
  /** The model comes from a Python package index, and this machine has no Python with pip. */
  | "PYTHON_MISSING";

const retryableCodes: ReadonlySet<ModelErrorCode> = new Set(["QUEUE_FULL", "HUB_UNREACHABLE", "LOCKED"]);

/** The only error class of this package. The message names the field or file, the value, and the fix. */
export class ModelError extends CodedError<ModelErrorCode> {
  readonly retryable: boolean;

  constructor(code: ModelErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super("ModelError", code, message, options);
    this.retryable = retryableCodes.has(code);
  }
}

/** The error of one who has waited too long for another process that works on the same folder. */
export const lockedModel = (holder: string, lock: string) =>
  new ModelError(
    "LOCKED",
    `${lock}: is held by ${holder}; wait until that process is done, or remove this file if it has ended`,
  );
