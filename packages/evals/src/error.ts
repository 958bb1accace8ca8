/** Why an evaluation, a comparison or a plot could not be made. */
export type EvaluationErrorCode =
  /** Settings that make no sense, such as no tasks. */
  | "BAD_CONFIG"
  /** Two evaluations that do not hold the same tasks. */
  | "NOT_COMPARABLE"
  /** The folder of an evaluation cannot be read or written, or holds something else. */
  | "BAD_FOLDER"
  /** A trace file that cannot be read or written, or a line of it that is no trace. */
  | "BAD_TRACE"
  /** A scorer gave no number for one of its metrics. */
  | "BAD_SCORE"
  /** A baseline's prompt does not fit the model. */
  | "PROMPT_TOO_LONG";

/** The only error class of this package: its message names the field, the value and the fix. */
export class EvaluationError extends Error {
  readonly code: EvaluationErrorCode;

  constructor(code: EvaluationErrorCode, message: string) {
    super(`[${code}] ${message}`);
    this.name = "EvaluationError";
    this.code = code;
  }
}
