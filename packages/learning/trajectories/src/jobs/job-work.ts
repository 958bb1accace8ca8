export type JobKind = "rollout" | "reward";

/** One attempt at a job. */
export interface JobAttempt {
  /** The trajectory's id. */
  readonly id: string;
  readonly data: unknown;
  /** 1 for the first attempt. Taking over from a dead consumer does not count as an attempt. */
  readonly attempt: number;
  /**
   * Set when the job has lost more consumers than `maxStalledCount` allows. It says why the job must not be started
   * again, unless its work is done already.
   */
  readonly poison?: string;
}

/** Does the work of one kind of job and stores its result. It does not know BullMQ, so that a simulation can run it. */
export interface JobWork {
  readonly kind: JobKind;
  /**
   * Runs one attempt. The signal aborts when the consumer closes, the lock is lost or the attempt takes too long.
   * @throws {FinalFailure} when no later attempt can succeed; any other error is retried
   */
  run(job: JobAttempt, signal: AbortSignal): Promise<void>;
  /** Records that the job has failed for good (T4). */
  fail(job: JobAttempt, message: string): Promise<void>;
}

/** A failure that a retry would only repeat. */
export class FinalFailure extends Error {
  override readonly name = "FinalFailure";
}
