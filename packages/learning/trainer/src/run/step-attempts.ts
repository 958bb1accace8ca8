import { PalimpsestError } from "@palimpsest/wire";

/** After this many failed attempts in a row a reason no longer counts as temporary. */
const maxAttempts = 4;

export interface StepAttempts {
  /**
   * Restarts the learner from its last checkpoint, because a learner whose step failed halfway cannot take it again.
   */
  readonly restartLearner: () => Promise<void>;
  /** Called before each further attempt. */
  readonly onAgain: (reason: PalimpsestError) => void;
  readonly signal: AbortSignal;
}

/**
 * Takes a step, and repeats it if it failed inside the learner for a temporary reason: a node, the head or Redis was
 * unreachable for longer than the call that needed it could wait.
 * @throws the step's error, if its reason is not temporary or if it is the fourth in a row
 */
export async function untilTaken<T>(take: () => Promise<T>, attempts: StepAttempts): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await take();
    } catch (reason) {
      const passing = passingCause(reason);
      if (passing === undefined || attempt === maxAttempts || attempts.signal.aborted) throw reason;
      attempts.onAgain(passing);
      await restarted(attempts);
    }
  }
}

/** Restarts the learner. The head itself may be unreachable, so each attempt waits for it as long as a call does. */
async function restarted({ restartLearner, signal }: StepAttempts): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await restartLearner();
    } catch (reason) {
      const { retryable } = PalimpsestError.from(reason);
      if (!retryable || attempt === maxAttempts || signal.aborted) throw reason;
    }
  }
}

/** Returns why the learner's method threw, if that reason is temporary. */
function passingCause(reason: unknown): PalimpsestError | undefined {
  if (!(reason instanceof PalimpsestError) || reason.code !== "ACTOR_ERROR") return undefined;
  const { cause } = reason;
  return cause instanceof PalimpsestError && cause.retryable ? cause : undefined;
}
