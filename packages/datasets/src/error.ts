/** Why a data set could not be made or read. Nothing here is worth a retry. */
export type DatasetErrorCode =
  /** A generator's settings contradict each other or its vocabulary. */
  | "BAD_CONFIG"
  /** A file is not there or cannot be read. */
  | "UNREADABLE_FILE"
  /** A file or its folder cannot be made where it was asked for. */
  | "UNWRITABLE_FILE"
  /** A file holds no usable row, or bad rows where none are allowed. */
  | "BAD_ROWS";

/** The only error class of this package: its message names the field, the value and the fix. */
export class DatasetError extends Error {
  readonly code: DatasetErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: DatasetErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(`[${code}] ${message}`, cause === undefined ? undefined : { cause });
    this.name = "DatasetError";
    this.code = code;
    this.details = details;
  }
}
