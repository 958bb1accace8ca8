import { CodedError } from "@palimpsest/std";

/** Why the learner refused or stopped. The set is closed, so a caller may switch over it. */
export type LearnerErrorCode =
  /** A setting is wrong or two settings contradict each other: fix the configuration. */
  | "CONFIG_INVALID"
  /** A group, trajectory or conversation is malformed or ambiguous: fix the code that made it. */
  | "GROUP_INVALID"
  /** A training row is malformed. */
  | "ROW_INVALID"
  /** A row is longer than every declared bucket. */
  | "ROW_TOO_LONG"
  /** No token in the batch can be trained. */
  | "BATCH_EMPTY"
  /** Shapes of arrays or tensors do not match. */
  | "SHAPE_MISMATCH"
  /** Loss or gradient is NaN or infinite; the weights are those before the step. */
  | "NOT_FINITE"
  /** Sampler and trainer disagree about log-probabilities; the weights are those before the step. */
  | "LOGPROB_MISMATCH"
  /** The first step differs from what theory predicts (ratio 1, KL 0); the weights are those before the step. */
  | "FIRST_STEP_CHECK"
  /** The gradient norm is above the configured gate; the weights are those before the step. */
  | "GRADIENT_GATE"
  /** A call was made while another was running; only one may run at a time. */
  | "BUSY"
  /** A step failed midway: some weights are new and some old, or gradients are left over. The learner is closed; resume from its checkpoint. */
  | "APPLY_FAILED"
  /** The device ran out of memory. The weights are those before the step, or the learner is closed; the message says which. */
  | "MEMORY_EXHAUSTED"
  /** Another learner of the same training failed, diverged or did not answer in time. This one is closed; restart all of them from the checkpoint. */
  | "PEER_FAILED"
  /** The caller's signal aborted the step; the weights are those before the step. */
  | "ABORTED"
  /** The learner was closed. */
  | "CLOSED"
  /** A checkpoint is damaged or has an unknown format. */
  | "CHECKPOINT_CORRUPT"
  /** A checkpoint is intact but belongs to another model. */
  | "CHECKPOINT_MISMATCH"
  /** A file of reference numbers is missing, damaged or lacks a field. */
  | "REFERENCE_INVALID";

/** The only error class of this package. The message names the field, the value and the fix. */
export class LearnerError extends CodedError<LearnerErrorCode> {
  constructor(
    code: LearnerErrorCode,
    message: string,
    options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super("LearnerError", code, message, options);
  }
}
