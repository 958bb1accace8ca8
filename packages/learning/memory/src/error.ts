import { CodedError } from "@palimpsest/std";

/** Says what went wrong with a store, for programs. The set is closed: each code has one meaning. */
export type MemoryErrorCode =
  /** A setting, a record or an argument is invalid. */
  | "BAD_INPUT"
  /** No record, namespace or file has that name. */
  | "NOT_FOUND"
  /** A record with that id exists already. */
  | "DUPLICATE_ID"
  /** A file, a stored namespace or a server's answer does not contain what it should. */
  | "DAMAGED"
  /** The embedder did not answer, even at the last attempt. */
  | "EMBEDDER_FAILED"
  | "CLOSED";

/** The only error class of this package. Its message names the field, the value and the fix. */
export class MemoryError extends CodedError<MemoryErrorCode> {
  constructor(code: MemoryErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super("MemoryError", code, message, options);
  }
}
