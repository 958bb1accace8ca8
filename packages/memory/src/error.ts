/** What went wrong with a store, as a program may ask. Closed: each code has one meaning. */
export type MemoryErrorCode =
  /** A setting, a record or an argument that cannot be used. */
  | "BAD_INPUT"
  /** No record, namespace or file of that name. */
  | "NOT_FOUND"
  /** A record of that id is there already. */
  | "DUPLICATE_ID"
  /** A file, a stored namespace or a server's answer that does not hold what it should. */
  | "DAMAGED"
  /** The embedder did not answer, also at the last attempt. */
  | "EMBEDDER_FAILED"
  | "CLOSED";

/** The only error class of this package: its message names the field, the value and the fix. */
export class MemoryError extends Error {
  readonly code: MemoryErrorCode;

  constructor(code: MemoryErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(`[${code}] ${message}`, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "MemoryError";
    this.code = code;
  }
}
