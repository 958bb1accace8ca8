import { PalimpsestError } from "@palimpsest/wire";

/** A reason that stays for so many attempts in a row is no passing one. */
const maxAttempts = 4;

export interface StepAttempts {
  /** Has the learner begin anew from its last checkpoint: a step that failed half-way cannot be taken again by it. */
  readonly restartLearner: () => Promise<void>;
  /** Told before each further attempt. */
  readonly onAgain: (reason: PalimpsestError) => void;
  readonly signal: AbortSignal;
}

/**
 * Takes a step, and takes it again when it failed inside the learner for a reason that passes: a node, a head or Redis
 * that was away for longer than the call that needed it could wait.
 * @throws what the step throws for another reason, or for the fourth time in a row
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

/** The head may be what is away: each attempt waits for it as long as a call does. */
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

/** Why the learner's method threw, if that is a reason that passes. */
function passingCause(reason: unknown): PalimpsestError | undefined {
  if (!(reason instanceof PalimpsestError) || reason.code !== "ACTOR_ERROR") return undefined;
  const { cause } = reason;
  return cause instanceof PalimpsestError && cause.retryable ? cause : undefined;
}
