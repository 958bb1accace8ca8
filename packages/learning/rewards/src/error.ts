import { CodedError } from "@palimpsest/std";

/** Why an answer could not be scored. These are errors, and never a zero reward. */
export type RewardErrorCode =
  /** No reward has that name. */
  | "UNKNOWN_REWARD"
  /** The reward scores steps, and the episode does not have what its steps wrote. */
  | "STEPS_MISSING"
  /** The task has no right answers. */
  | "NO_GROUND_TRUTH"
  /** LoCoMo has no such category. */
  | "UNKNOWN_CATEGORY"
  /** The episode has no memory store. */
  | "NO_STORE"
  /** The task has no question that the store can be asked. */
  | "NO_PROBES"
  /** The settings need something that was not supplied, such as a model to judge with. */
  | "BAD_CONFIG"
  /** A reward service or judge could not be reached within its attempts and time. */
  | "UNREACHABLE"
  /** A reward service refused to score this, and retrying would not help. */
  | "REFUSED"
  /** The answer of a reward service or judge was malformed. */
  | "BAD_REPLY";

/** The only error class of this package. Its message names the field, the value and the fix. */
export class RewardError extends CodedError<RewardErrorCode> {
  constructor(code: RewardErrorCode, message: string, cause?: unknown) {
    super("RewardError", code, message, { cause });
  }
}

/** @throws {RewardError} NO_GROUND_TRUTH */
export function requireAnswers(answers: readonly string[]): void {
  if (answers.length === 0) {
    throw new RewardError("NO_GROUND_TRUTH", "answers: is empty; a task needs at least one right answer");
  }
}
