/** Why an answer could not be scored: an error, never a zero. */
export type RewardErrorCode =
  /** No reward of that name. */
  | "UNKNOWN_REWARD"
  /** An episode without what its steps wrote, where they are rewarded. */
  | "STEPS_MISSING"
  /** A task without right answers. */
  | "NO_GROUND_TRUTH"
  /** A LoCoMo category that there is not. */
  | "UNKNOWN_CATEGORY"
  /** An episode without a memory store. */
  | "NO_STORE"
  /** A task without a question that the store can be asked. */
  | "NO_PROBES"
  /** Settings that need something which was not given, such as a model to judge by. */
  | "BAD_CONFIG"
  /** A reward service or judge that could not be reached within its attempts and time. */
  | "UNREACHABLE"
  /** A reward service that will not score this, whatever is tried again. */
  | "REFUSED"
  /** An answer of a reward service or judge that makes no sense. */
  | "BAD_REPLY";

/** The only error class of this package: its message names the field, the value and the fix. */
export class RewardError extends Error {
  readonly code: RewardErrorCode;

  constructor(code: RewardErrorCode, message: string, cause?: unknown) {
    super(`[${code}] ${message}`, cause === undefined ? undefined : { cause });
    this.name = "RewardError";
    this.code = code;
  }
}

/** @throws {RewardError} NO_GROUND_TRUTH */
export function requireAnswers(answers: readonly string[]): void {
  if (answers.length === 0) {
    throw new RewardError(
      "NO_GROUND_TRUTH",
      "answers: the list is empty; a task needs at least one right answer",
    );
  }
}
