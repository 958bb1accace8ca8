import { CodedError } from "@palimpsest/std";

/** Why an evaluation, a comparison or a plot could not be made. */
export type EvaluationErrorCode =
  /** The settings are invalid, for example without tasks. */
  | "BAD_CONFIG"
  /** The two evaluations do not have the same tasks. */
  | "NOT_COMPARABLE"
  /** The folder of an evaluation cannot be read or written, or contains something else. */
  | "BAD_FOLDER"
  /** A trace file cannot be read or written, or a line of it is not a trace. */
  | "BAD_TRACE"
  /** A scorer returned no number for one of its metrics. */
  | "BAD_SCORE"
  /** A baseline's prompt does not fit the model. */
  | "PROMPT_TOO_LONG";

/** The only error class of this package. Its message names the field, the value and the fix. */
export class EvaluationError extends CodedError<EvaluationErrorCode> {
  constructor(code: EvaluationErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super("EvaluationError", code, message, options);
  }
}
