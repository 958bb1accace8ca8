import { CodedError } from "@palimpsest/std";

/** Why a data set could not be created or read. None of these errors is worth a retry. */
export type DatasetErrorCode =
  /** A generator's settings contradict each other or its vocabulary. */
  | "BAD_CONFIG"
  /** A file does not exist or cannot be read. */
  | "UNREADABLE_FILE"
  /** A file or its folder cannot be created at the given path. */
  | "UNWRITABLE_FILE"
  /** A file contains no usable row, or contains bad rows where none are allowed. */
  | "BAD_ROWS";

/** The only error class of this package. Its message names the field, the value and the fix. */
export class DatasetError extends CodedError<DatasetErrorCode> {
  constructor(
    code: DatasetErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super("DatasetError", code, message, { details, cause });
  }
}
