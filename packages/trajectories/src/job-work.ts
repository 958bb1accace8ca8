export type JobKind = "rollout" | "reward";

/** One attempt at a job. */
export interface JobAttempt {
  /** The trajectory's id. */
  readonly id: string;
  readonly data: unknown;
  /** 1 for the first. Taking over from a dead consumer is not an attempt. */
  readonly attempt: number;
  /** Set when the job has lost more consumers than `maxStalledCount` allows: why it must not be begun again, unless its
   *  work is done already. */
  readonly poison?: string;
}

/** Does the work of one kind of job and stores its result. Knows nothing of BullMQ, so that a simulation can run it. */
export interface JobWork {
  readonly kind: JobKind;
  /** The signal aborts when the consumer closes, the lock is lost or the attempt takes too long.
   *  @throws {FinalFailure} when no later attempt can succeed; anything else is tried again */
  run(job: JobAttempt, signal: AbortSignal): Promise<void>;
  /** Records that the job has failed for good (T4). */
  fail(job: JobAttempt, message: string): Promise<void>;
}

/** A failure that another attempt would only repeat. */
export class FinalFailure extends Error {
  override readonly name = "FinalFailure";
}
