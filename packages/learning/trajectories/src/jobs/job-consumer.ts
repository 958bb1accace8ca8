/**
 * Responsibility: runs one BullMQ worker for rollouts or rewards: attempts, deadlines, locks, take-over from dead
 * consumers, orderly close.
 * Not responsible for: the content of an episode or a score.
 *
 * Invariants:
 * - JOB-1 (T1). A job whose consumer dies or loses Redis goes to another consumer after its lock expires.
 * - JOB-2 (T1). Closing gives running jobs back without using up an attempt.
 * - JOB-3 (T4). The failure of a job that fails for good is recorded in the ledger before BullMQ is told, so that when
 *   a consumer dies in between, the job ends at once when it runs again.
 * - JOB-4 (T4). An attempt that takes longer than `timeoutMs` is aborted and has failed, even when its promise never
 *   settles.
 * The processor must not block the event loop for longer than the lock lasts.
 */

import { type Clock, delay, unlessAborted, withDeadline } from "@palimpsest/std";
import type { Logger, Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { Job } from "bullmq";
import type { Redis } from "ioredis";
import type { QueueSettings } from "../base/queue-settings.js";
import type { QueueName, RunKeys } from "../base/run-keys.js";
import { DelayedError, UnrecoverableError, WaitingError, Worker } from "../redis/bullmq.js";
import { FinalFailure, type JobAttempt, type JobWork } from "./job-work.js";

export interface JobConsumerOptions {
  readonly work: JobWork;
  readonly queueName: QueueName;
  /** Number of jobs that run at once in this process. */
  readonly concurrency: number;
  /** The longest time of one attempt in milliseconds. */
  readonly timeoutMs: number;
  readonly redis: Redis;
  readonly keys: RunKeys;
  readonly settings: QueueSettings;
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
  readonly clock: Clock;
}

/** How long closing waits for jobs in progress, in milliseconds. */
export interface CloseOptions {
  /** Milliseconds that running jobs have to react to the abort. 0 leaves them to be taken over. Default 5,000. */
  readonly deadlineMs?: number;
}

const defaultDeadlineMs = 5000;
/** BullMQ must not fail a job by itself without the ledger, so stalls are counted here instead. */
const bullMaxStalledCount = 1_000_000_000;

/** Takes jobs of one of the run's queues, several at a time. */
export class JobConsumer {
  readonly #options: JobConsumerOptions;
  readonly #worker: Worker;
  readonly #running = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  private constructor(options: JobConsumerOptions) {
    this.#options = options;
    const { settings, logger, metrics, work } = options;
    const { kind } = work;
    // An alert needs the value zero before the first event.
    metrics?.counter("palimpsest_queue_stalled_jobs_total").inc({ kind }, 0);
    this.#worker = new Worker(
      options.queueName,
      // The callback has three parameters because BullMQ checks the arity before it creates a signal.
      (job, token, signal) => this.#track(job, token ?? "", signal ?? new AbortController().signal),
      {
        connection: options.redis,
        prefix: options.keys.bullmq,
        concurrency: options.concurrency,
        autorun: false,
        lockDuration: settings.lockDurationMs,
        stalledInterval: settings.stalledIntervalMs,
        maxStalledCount: bullMaxStalledCount,
        runRetryDelay: settings.retryDelayMs,
      },
    );
    this.#worker.on("error", (error) => logger.warn({ err: error }, "queue consumer error"));
    this.#worker.on("stalled", (jobId) => {
      metrics?.counter("palimpsest_queue_stalled_jobs_total").inc({ kind });
      logger.warn({ jobId, kind }, "took over the job of a dead consumer");
    });
    this.#worker.on("lockRenewalFailed", (jobIds) => {
      for (const jobId of jobIds) {
        this.#worker.cancelJob(jobId, "another consumer has the job");
      }
    });
    this.#worker.on("failed", (job, error) => {
      const final = job?.finishedOn !== undefined;
      logger.warn({ jobId: job?.id, kind, attempt: job?.attemptsMade, final, err: error }, "job failed");
    });
  }

  /** Starts taking jobs. Resolves when both connections are ready. */
  static async start(options: JobConsumerOptions): Promise<JobConsumer> {
    const consumer = new JobConsumer(options);
    await consumer.#worker.waitUntilReady();
    consumer.#worker.run().catch((error) => options.logger.error({ err: error }, "the queue consumer ended"));
    return consumer;
  }

  /** Number of running jobs. */
  get running(): number {
    return this.#running.size;
  }

  #track(job: Job, token: string, signal: AbortSignal): Promise<void> {
    const work = this.#process(job, token, signal);
    this.#running.add(work);
    const done = (): void => void this.#running.delete(work);
    work.then(done, done);
    return work;
  }

  async #process(job: Job, token: string, signal: AbortSignal): Promise<void> {
    const { work, metrics, timeoutMs, clock } = this.#options;
    const { kind } = work;
    const startedAtMs = clock.monotonicMs();
    metrics
      ?.histogram("palimpsest_queue_job_wait_seconds")
      .observe({ kind }, Math.max(0, clock.now() - job.timestamp) / 1000);
    const attempt: JobAttempt = {
      id: job.id ?? "",
      data: job.data,
      attempt: job.attemptsMade + 1,
      ...this.#poison(job),
    };
    let outcome = "error";
    let closing = this.#closing !== undefined;
    try {
      // A fetch that was in progress when the close began may still bring a job.
      if (closing) {
        throw new Error("consumer closes");
      }
      const what = `${kind} ${attempt.id}, attempt ${attempt.attempt}`;
      const late = () =>
        new PalimpsestError("GET_TIMEOUT", `${what} took longer than ${timeoutMs} ms and was aborted`);
      // Work that ignores the deadline is left to itself; a close waits for it.
      await withDeadline({ clock, timeoutMs, late }, (deadline) =>
        unlessAborted(
          deadline,
          withDeadline({ signals: [signal, deadline] }, (either) => work.run(attempt, either)),
        ),
      );
      outcome = "ok";
    } catch (error) {
      closing ||= this.#closing !== undefined && signal.aborted;
      if (closing) {
        outcome = "released";
        await job.moveToWait(token);
        throw new WaitingError();
      }
      const failure = error instanceof Error ? error : PalimpsestError.from(error);
      if (isTimeout(failure)) {
        outcome = "timeout";
      }
      const final = failure instanceof FinalFailure;
      const isLast = final || attempt.attempt >= (job.opts.attempts ?? 1);
      // An aborted signal means here that the lock was lost: the job, and thus its end, belongs to another consumer
      // (T1).
      if (isLast && !signal.aborted) {
        await this.#fail(job, token, attempt, failure.message);
      }
      // BullMQ retries after every error but an UnrecoverableError.
      throw final ? new UnrecoverableError(failure.message) : failure;
    } finally {
      metrics
        ?.histogram("palimpsest_queue_job_seconds")
        .observe({ kind, outcome }, (clock.monotonicMs() - startedAtMs) / 1000);
    }
  }

  #poison({ stalledCounter }: Job): Pick<JobAttempt, "poison"> {
    const { maxStalledCount } = this.#options.settings;
    if (stalledCounter <= maxStalledCount) {
      return {};
    }
    return {
      poison: `the job lost its consumer ${stalledCounter} times, more than maxStalledCount ${maxStalledCount}, so it probably kills the processes that run it`,
    };
  }

  /** Records a failure (JOB-3). When that is not possible, the job is kept and comes again. */
  async #fail(job: Job, token: string, attempt: JobAttempt, message: string): Promise<void> {
    try {
      await this.#options.work.fail(attempt, message);
    } catch (error) {
      this.#options.logger.error(
        { err: error, jobId: attempt.id },
        "the job's failure was not recorded, so the job will run again",
      );
      const { settings, clock } = this.#options;
      await job.moveToDelayed(clock.now() + settings.retryDelayMs, token);
      throw new DelayedError();
    }
  }

  /** Takes no more jobs, aborts the running ones and gives them back to the queue. */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options.deadlineMs ?? defaultDeadlineMs);
    return this.#closing;
  }

  async #close(deadlineMs: number): Promise<void> {
    // Awaiting the pause yields first, so that #closing is set before any job sees the abort.
    await this.#worker.pause(true);
    if (deadlineMs === 0) {
      await this.#worker.close(true);
      return;
    }
    this.#worker.cancelAllJobs("consumer closes");
    const timer = new AbortController();
    const late = delay(deadlineMs, timer.signal, this.#options.clock).then(() => true);
    let isLate = await Promise.race([Promise.allSettled(this.#running).then(() => false), late]);
    if (isLate) {
      await this.#worker.close(true);
    } else {
      // While Redis is away this waits for it; disconnecting the shared connection ends the wait.
      isLate = await Promise.race([this.#worker.close().then(() => false), late]);
    }
    timer.abort();
    if (isLate) {
      this.#options.logger.warn(
        { jobs: this.#running.size },
        "jobs did not stop in time; other consumers will take them over",
      );
    }
  }
}

function isTimeout(error: Error): boolean {
  return error instanceof PalimpsestError && error.code === "GET_TIMEOUT";
}
